// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file registration.hpp
 * fricp::Registration: fricp's methods as a pcl::Registration.
 *
 *   fricp::Registration<pcl::PointXYZ, pcl::PointXYZ> registration;   // instead of pcl::IterativeClosestPoint
 *   registration.setMethod("robust-icp-plane");                       // default: auto
 *   registration.setInputSource(source);
 *   registration.setInputTarget(target);
 *   registration.align(output);
 *
 * What holds through the base class's pointer, row by row, and where it differs from pcl::IterativeClosestPoint, is in
 * pcl_shim/README.md. In short: nothing throws, a failure is a PCL_ERROR and hasConverged() == false; points that are
 * not finite are skipped and kept; the target is indexed once, and getFitnessScore() asks that same index.
 *
 * Nothing but C crosses to the library: it may be built with other compiler flags than the program. As for every PCL
 * class, point types of your own need `#define PCL_NO_PRECOMPILE` before the first PCL header.
 */
#ifndef FRICP_PCL_REGISTRATION_HPP
#define FRICP_PCL_REGISTRATION_HPP

#include "fricp/pcl/conversions.hpp"
#include "fricp/pcl/normals.hpp"
#include "fricp/pcl/search.hpp"

#include <pcl/common/copy_point.h>
#include <pcl/console/print.h>
#include <pcl/registration/default_convergence_criteria.h>
#include <pcl/registration/registration.h>

#include <atomic>
#include <exception>
#include <functional>
#include <new>
#include <string>

namespace fricp {

namespace detail {
struct SolverDeleter {
  void operator()(fricp_solver *solver) const {
    fricp_solver_destroy(solver);
  }
};
} // namespace detail

/** A pcl::Registration by fricp's methods: see the head of this file. */
template <typename PointSource, typename PointTarget, typename Scalar = float>
class Registration : public pcl::Registration<PointSource, PointTarget, Scalar> {
public:
  /** What it is, to PCL. */
  using Base = pcl::Registration<PointSource, PointTarget, Scalar>;
  ///@{
  /** As pcl::IterativeClosestPoint has it. */
  using Ptr = pcl::shared_ptr<Registration>;
  using ConstPtr = pcl::shared_ptr<const Registration>;
  using Matrix4 = typename Base::Matrix4;
  using PointCloudSource = typename Base::PointCloudSource;
  using PointCloudSourceConstPtr = typename Base::PointCloudSourceConstPtr;
  using PointCloudTarget = typename Base::PointCloudTarget;
  using PointCloudTargetConstPtr = typename Base::PointCloudTargetConstPtr;
  using ConvergenceCriteria = pcl::registration::DefaultConvergenceCriteria<Scalar>;
  using ConvergenceState = typename ConvergenceCriteria::ConvergenceState;
  ///@}
  /** Called between iterations, and while there is something to prepare, on the thread that calls align(); false stops:
   *  the best pose so far is kept. */
  using ProgressCallback = detail::ProgressFunction;
  /** Does a pair count? Source and target index of the clouds as passed, squared distance at the pose that is tried. Called
   *  by several threads at once unless setNumThreads(1). */
  using PairFilter = std::function<bool(int source_index, int target_index, double squared_distance)>;

  Registration();
  // As pcl::IterativeClosestPoint: the convergence criteria refer to members.
  Registration(const Registration &) = delete;
  Registration &operator=(const Registration &) = delete;
  ~Registration() override = default;

  // ---- Inputs -------------------------------------------------------------------------------------------------------

  /** An empty cloud is an error that the next align() repeats; it does not run on an earlier cloud. Coordinates are
   * read by align(), so the cloud may change in between. */
  void setInputSource(const PointCloudSourceConstPtr &cloud) override;

  /** As setInputSource(). Always indexed anew by the next align(), even if the pointer is the same. May be called while
   *  align() runs in another thread: that align() goes on with the target it began with. */
  void setInputTarget(const PointCloudTargetConstPtr &cloud) override;

  /** Use only these points of the source to find the pose; null: all. The output still is the whole cloud. Checked by
   *  align(): an empty list, or an index outside the cloud, is an error. (getIndices() does not give it back.) */
  void setIndices(const pcl::IndicesPtr &indices) override {
    user_indices_ = indices;
  }
  /** As the first. */
  void setIndices(const pcl::IndicesConstPtr &indices) override {
    user_indices_ = indices;
  }
  /** As the first. */
  void setIndices(const pcl::PointIndicesConstPtr &indices) override;
  /** The points of a rectangle of an organized cloud. */
  void setIndices(std::size_t row_start, std::size_t col_start, std::size_t nb_rows, std::size_t nb_cols) override;

  // ---- Two point types ----------------------------------------------------------------------------------------------
  // PCL's own align() and getFitnessScore() do not compile when the two types differ (seen in 1.13). These do, called
  // through this class; for one type they are the base class's.

  /** As the base class's, from the identity. */
  void align(PointCloudSource &output) {
    align(output, Matrix4::Identity());
  }
  /** As the base class's. */
  void align(PointCloudSource &output, const Matrix4 &guess) {
    ran_ = false;
    alignWith<Base>(output, guess, std::is_same<PointSource, PointTarget>());
    if (!running_ && !ran_)
      forget(); // the base class refused it
  }
  using Base::getFitnessScore;
  /** As the base class's. */
  double getFitnessScore(double max_range = std::numeric_limits<double>::max()) {
    return fitnessWith<Base>(max_range, std::is_same<PointSource, PointTarget>());
  }
  /** As the base class's. */
  void setPointRepresentation(const typename Base::PointRepresentationConstPtr &representation) {
    Base::setPointRepresentation(representation);
    representation_ = representation; // the base class's is private
  }

  /** As the base class's; a null tree brings fricp's own search back. */
  void setSearchMethodTarget(const typename Base::KdTreePtr &tree, bool force_no_recompute = false) {
    Base::setSearchMethodTarget(tree ? tree : own_search_, tree && force_no_recompute);
  }

  // ---- How to register ----------------------------------------------------------------------------------------------
  // A number out of range is told by the next align(), which then fails, and by each one until the setting is mended.

  /** Default: auto. @param name as fricp::methodNames() lists. @return false and PCL_ERROR for any other; the method is then kept. */
  bool setMethod(const std::string &name);
  /** The same by number. */
  bool setMethod(fricp_method method);
  /** @return the method in use. */
  fricp_method getMethod() const {
    return static_cast<fricp_method>(options_.method);
  }
  /** @return its name. */
  std::string getMethodName() const {
    return fricp_method_name(options_.method);
  }

  /** Parts that replace the method's own, but auto's metric and kernel, which it chooses: the next align() then fails.
   *  @param name as fricp::metricNames(), kernelNames() and accelerationNames() list.
   *  @return false and PCL_ERROR for any other; what was set is then kept. */
  bool setMetric(const std::string &name);
  bool setKernel(const std::string &name);       /**< As setMetric(). */
  bool setAcceleration(const std::string &name); /**< As setMetric(). */
  /** The same by number; FRICP_METRIC_DEFAULT and so on: the method's own again. */
  bool setMetric(fricp_metric metric);
  bool setKernel(fricp_kernel kernel);                   /**< As setMetric(). */
  bool setAcceleration(fricp_acceleration acceleration); /**< As setMetric(). */
  /** As set; 0: the method's own. */
  fricp_metric getMetric() const {
    return static_cast<fricp_metric>(options_.metric);
  }
  /** As set; 0: the method's own. */
  fricp_kernel getKernel() const {
    return static_cast<fricp_kernel>(options_.kernel);
  }
  /** As set; 0: the method's own. */
  fricp_acceleration getAcceleration() const {
    return static_cast<fricp_acceleration>(options_.acceleration);
  }
  /** The exponent of the kernel lp, the share of trimmed, above 0 up to 1; 0: 0.4 and 0.7. */
  void setKernelShape(double shape) {
    options_.kernel_shape = shape;
  }
  /** True: the kernel has its last width from the start, without a schedule of widths. */
  void setFixedWidth(bool fixed) {
    options_.fixed_width = fixed ? 1 : 0;
  }
  /** A pair counts only if its normals are at most this far apart, in radians, whatever their signs; 0: off. What
   *  normals are missing is estimated. */
  void setMaxNormalAngle(double angle) {
    options_.max_normal_angle = angle;
    tellNormals();
  }

  /** 0: as many as the machine has, fewer for small clouds. The result does not depend on it. Less than 0: PCL_ERROR,
   *  and the number is kept. */
  void setNumThreads(int threads);
  /** @return what setNumThreads() was given. */
  int getNumThreads() const {
    return options_.threads;
  }

  /** Method auto: rotations of the start about the source's middle to try, spread evenly, 1 (as it is) to 1000; 0: 1.
   *  48 cover all rotations: for clouds in unrelated frames, at some ten times the time. */
  void setStarts(int starts) {
    options_.starts = starts;
  }
  /** @return what setStarts() was given. */
  int getStarts() const {
    return options_.starts;
  }

  /** True: all points of either cloud were seen from its sensor_origin_, as single scans are; method auto then knows what space
   *  was seen through. PCL keeps that member when it moves a cloud: it must fit the coordinates. False (default): not known. */
  void setUseSensorOrigins(bool use) {
    sensor_origins_ = use;
  }
  /** @return what setUseSensorOrigins() was given. */
  bool getUseSensorOrigins() const {
    return sensor_origins_;
  }

  /** Directions of motion that stay as the guess has them, exactly: a sum of fricp_direction, such as FRICP_TURN_X |
   *  FRICP_TURN_Y, or FRICP_ONLY_PLANAR, which leaves x, y and yaw; 0: none. Exact is getResult().target_from_source; the
   *  matrix is as exact as its Scalar. */
  void setLockedDirections(int locked) {
    options_.locked = locked;
  }
  /** @return what setLockedDirections() was given. */
  int getLockedDirections() const {
    return options_.locked;
  }
  /** Their frame, as a pose in the target's. Default: the target's axes, about where the guess places the source's
   *  origin. */
  void setMotionFrame(const Eigen::Matrix4d &target_from_frame) {
    motion_frame_ = detail::toPose<double>(target_from_frame);
    options_.motion_frame = &motion_frame_;
  }
  /** Back to the default frame. */
  void clearMotionFrame() {
    options_.motion_frame = nullptr;
  }

  /** What is known of the pose beforehand: see fricp_prior. Information and center are as getInformationMatrix() and
   *  getInformationCenter() give them. Without a pose: of the guess. */
  void setPrior(const Eigen::Matrix<double, 6, 6> &information, const Eigen::Vector3d &center);
  /** As the other, of this pose. */
  void setPrior(const Eigen::Matrix<double, 6, 6> &information, const Eigen::Vector3d &center,
                const Eigen::Matrix4d &target_from_source);
  /** No prior. */
  void clearPrior() {
    options_.prior = nullptr;
  }

  /** A gate of your own on pairs; null: none. Method auto asks it where it refines. What it throws stops the align(), as a
   *  callback's does. */
  void setPairFilter(PairFilter filter) {
    pair_filter_ = std::move(filter);
  }

  /** True: normals that a target lacks are estimated by the core, in a fraction of the time; they agree with PCL's to
   *  rounding where both are defined. False (default): by pcl::NormalEstimationOMP. Counts for targets that have none yet. */
  void setCoreNormals(bool core) {
    core_normals_ = core;
    tellNormals();
  }
  /** As set. */
  bool getCoreNormals() const {
    return core_normals_;
  }

  /** First kernel width = start times the median initial residual, last = end times the target's spacing, by normals
   *  times its neighbours' median distance to the tangent plane; 0: the paper's. */
  void setNuFactors(double start, double end) {
    options_.nu_start_factor = start;
    options_.nu_end_factor = end;
  }
  /** Earlier iterates that Anderson acceleration uses: 1 to 16; 0: the method's own; -1: no acceleration. */
  void setAndersonHistory(int history) {
    options_.anderson_history = history;
  }
  /** True: start with the centroids of the two clouds moved onto each other, after the guess. */
  void setStartAtCentroid(bool centroid) {
    options_.start = centroid ? FRICP_START_CENTROID : FRICP_START_GUESS;
  }
  /** True: use every source point from the first level on, not an evenly spread part of them. */
  void setFullResolution(bool full) {
    options_.full_resolution = full ? 1 : 0;
  }
  /** What counts as an inlier in the results, in the clouds' unit; 0: the target's spacing. */
  void setInlierDistance(double distance) {
    options_.inlier_distance = distance;
  }
  /** Seconds of an align(), indexing of the target and its normals included; 0: none. Treated as the iteration limit
   *  is. What was not done in time is begun anew by the next align(). */
  void setTimeLimit(double seconds) {
    options_.time_limit = seconds > 1e9 ? 0 : seconds; // 30 years
    std::lock_guard<std::mutex> lock(gate_->mutex);
    gate_->time_limit = options_.time_limit;
  }

  /** As pcl::IterativeClosestPoint: a pair counts only if its source point is also the nearest to its target point. */
  void setUseReciprocalCorrespondences(bool reciprocal) {
    options_.reciprocal = reciprocal ? 1 : 0;
  }
  /** @return what setUseReciprocalCorrespondences() was given. */
  bool getUseReciprocalCorrespondences() const {
    return options_.reciprocal != 0;
  }

  /** False (PCL's default): reaching the iteration limit counts as converged. getStopReason() tells in any case. */
  void setFailureAfterMaximumIterations(bool failure) {
    criteria_->setFailureAfterMaximumIterations(failure);
  }
  /** @return what setFailureAfterMaximumIterations() was given. */
  bool getFailureAfterMaximumIterations() const {
    return criteria_->getFailureAfterMaximumIterations();
  }

  /** Null: none. What a callback throws is reported and stops that align() as a cancel() does. A callback may change
   *  settings, for the next align(); it must not call align(). */
  void setProgressCallback(ProgressCallback callback) {
    std::lock_guard<std::mutex> lock(gate_->mutex);
    gate_->progress = std::move(callback);
  }
  /** Stop the align() that is running or, if none is, the next one; from any thread. Each align() forgets it at its
   * end. That align() is not converged, its stop reason is FRICP_STOP_CANCELLED and its pose the best so far. */
  void cancel() {
    gate_->cancelled = true;
  }

  // ---- What was found -----------------------------------------------------------------------------------------------

  /** As pcl::IterativeClosestPoint::getConvergeCriteria(): ask it for getConvergenceState() after align(). Of its
   *  settings only setFailureAfterMaximumIterations() is used. */
  typename ConvergenceCriteria::Ptr getConvergeCriteria() {
    return criteria_;
  }
  /** @return its state, in PCL's terms. */
  ConvergenceState getConvergenceState() const {
    return criteria_->getConvergenceState();
  }

  /** @return why the last align() ended. */
  fricp_stop_reason getStopReason() const {
    return static_cast<fricp_stop_reason>(result_.stop_reason);
  }
  /** @return the same in a word. */
  std::string getStopReasonName() const {
    return fricp_stop_reason_name(result_.stop_reason);
  }
  /** FRICP_OK, or why the last align() failed. */
  fricp_status getStatus() const {
    return static_cast<fricp_status>(error_.status);
  }
  /** The same in words, "" after a success. */
  std::string getErrorText() const {
    return error_.text;
  }

  /** Is the pose to be trusted? Method auto judges, others say FRICP_VERDICT_NONE. hasConverged() does not look at it:
   *  that is about the iterations, as PCL has it. */
  fricp_verdict getVerdict() const {
    return static_cast<fricp_verdict>(result_.verdict);
  }
  /** The same in a word, as fricp_verdict_name() gives it. */
  std::string getVerdictName() const {
    return fricp_verdict_name(result_.verdict);
  }
  /** What the verdict goes by, 0 to 1: of the source's and of the target's surface the share that lies on the other's, and
   *  of what is near the other's, or was seen through, the share that lies on it. Of a target that is much larger than the
   *  source, as a map is, what lies around the source. */
  double getSourceOverlap() const {
    return result_.overlap_source;
  }
  /** As getSourceOverlap(), of the target. */
  double getTargetOverlap() const {
    return result_.overlap_target;
  }
  /** See getSourceOverlap(). */
  double getAgreement() const {
    return result_.agreement;
  }
  /** Of what shows a shift along some direction, getAgreement() over that of all: the least over all directions, 0 to 1. */
  double getLeastAgreement() const {
    return result_.agreement_least;
  }
  /** Of the source's surface the share that the target's sensor saw through, which speaks against the pose: see
   *  setUseSensorOrigins(). */
  double getSourceSeenThrough() const {
    return result_.through_source;
  }
  /** As getSourceSeenThrough(), of the target's by the source's sensor. */
  double getTargetSeenThrough() const {
    return result_.through_target;
  }
  /** Score of the best other pose found, over that of this one; 0: no other. */
  double getRival() const {
    return result_.rival;
  }
  /** The poses that method auto compared, the one it refined marked as chosen. */
  std::vector<fricp_candidate> getCandidates() const {
    return rowsOf<fricp_candidate>(fricp_solver_get_candidates);
  }

  /** Everything of the core's result, the pose in double precision among it. */
  const fricp_result &getResult() const {
    return result_;
  }
  /** One row a level of the kernel's width. */
  std::vector<fricp_level> getLevels() const {
    return rowsOf<fricp_level>(fricp_solver_get_levels);
  }
  /** One row a pose, accepted or rejected; the last 1024. */
  std::vector<fricp_trace_row> getTrace() const {
    return rowsOf<fricp_trace_row>(fricp_solver_get_trace);
  }

  /** Of the source points used, the share within the inlier distance of the target, and their root mean square
   *  distance. */
  double getInlierShare() const {
    return result_.inlier_share;
  }
  /** See getInlierShare(). */
  double getInlierRMS() const {
    return result_.inlier_rms;
  }
  /** The other way: of the target's points, near the moved source. Indexes the source on the first call after align();
   *  looks at the two clouds as they are then. */
  double getTargetInlierShare() {
    return targetInliers().share;
  }
  /** See getTargetInlierShare(). */
  double getTargetInlierRMS() {
    return targetInliers().rms;
  }

  /** Inverse covariance of the pose error (a, v): the true motion of a point q of the target's frame is
   *  q + a x (q - center) + v. See fricp_result. */
  Eigen::Matrix<double, 6, 6> getInformationMatrix() const {
    return Eigen::Map<const detail::RowMajor<6>>(&result_.information[0][0]);
  }
  /** @return the center of getInformationMatrix(). */
  Eigen::Vector3d getInformationCenter() const {
    return Eigen::Vector3d(result_.information_center);
  }

  /** One number for each point of the source cloud, whatever the indices; empty after a failure. Residual: distance to
   *  the target point, or signed distance to its tangent plane, NaN where there is none. Weight: 0 to 1. */
  std::vector<double> getPointResiduals() const {
    return ofPoints(true);
  }
  /** See getPointResiduals(). */
  std::vector<double> getPointWeights() const {
    return ofPoints(false);
  }

protected:
  /** What the base class's align() calls. */
  void computeTransformation(PointCloudSource &output, const Matrix4 &guess) override;

private:
  using Target = detail::PreparedTarget<PointTarget>;
  using Prepared = typename Target::ConstPtr;

  /** The source's fields for a search that measures more than positions. */
  struct Fields : detail::SourceFields<PointTarget> {
    explicit Fields(const PointCloudSource &cloud) : source(cloud) {
    }
    void copy(std::size_t source_index, PointTarget &query) const override {
      pcl::copyPoint(source[source_index], query);
    }
    const PointCloudSource &source;
  };
  /** One align() as its progress hook sees it. */
  struct Run {
    Registration *self;
    const PointCloudSource *source;
    const Target *target;
    pcl::IndicesConstPtr indices;
    // Copies: a callback may set another one while it runs.
    ProgressCallback progress;
    std::function<typename Base::UpdateVisualizerCallbackSignature> visualizer;
    PointCloudSource moved;
    fricp_pose shown;
    bool any_shown;
    PairFilter filter;
    double sensors[2][3]; // the source's, the target's
  };
  struct Inliers {
    bool known;
    double share;
    double rms;
  };

  template <class B> void alignWith(PointCloudSource &output, const Matrix4 &guess, std::true_type) {
    B::align(output, guess);
  }
  template <class B> void alignWith(PointCloudSource &output, const Matrix4 &guess, std::false_type);
  template <class B> double fitnessWith(double max_range, std::true_type) {
    return B::getFitnessScore(max_range);
  }
  template <class B> double fitnessWith(double max_range, std::false_type);

  bool setPart(const char *part, const std::string &name, fricp_status (*from_name)(const char *, std::int32_t *),
               std::int32_t &field);
  bool setPart(const char *part, std::int32_t number, const char *(*name_of)(std::int32_t), std::int32_t &field);
  bool usesNormals(fricp_normals which) const {
    return (fricp_options_normals(&options_) & which) != 0;
  }
  /** Then the core estimates what a target lacks together with the index, which otherwise would be built again. */
  void tellNormals() {
    std::lock_guard<std::mutex> lock(gate_->mutex);
    gate_->core_normals = core_normals_ ? fricp_options_normals(&options_) : 0;
  }
  /** What the solver tells of the last align(), if that was a success. */
  template <class Row> std::vector<Row> rowsOf(std::size_t (*get)(const fricp_solver *, const Row **)) const;
  std::vector<double> ofPoints(bool residuals) const;
  bool forget();
  void reset();
  bool accept(const Matrix4 &guess);
  void solve(const PointCloudSource &source, const fricp_pose &guess);
  bool takeTreeBack();
  Prepared targetToUse(detail::Watch &watch);
  void stopBefore(fricp_stop_reason reason);
  bool fail(fricp_status status, const char *text);
  Prepared acquireTarget(detail::Watch &watch);
  Prepared targetBehindTree(detail::Watch &watch);
  Prepared targetOfRepresentation(const Prepared &positions, detail::Watch &watch);
  static Prepared refuseOutput();
  static Prepared refusal(fricp_status status, const char *text);
  Prepared prepareBehindTree(const PointCloudTargetConstPtr &cloud, const pcl::IndicesConstPtr &indices,
                             const std::shared_ptr<const detail::TreeHook<PointTarget>> &hook, detail::Watch &watch);
  Prepared needNormals(const Prepared &prepared, detail::Watch &watch);
  Prepared refuseNormals(const Prepared &prepared, fricp_status status, const char *text);
  fricp_options runOptions(Run &run) const;
  void keepResult(const PointCloudSource &source, Run &run);
  void keepSteps();
  void keepCorrespondences(std::size_t count);
  void keepState();
  void moveOutput(const PointCloudSource &source, PointCloudSource &output, const fricp_pose &pose);
  void noticeNewTarget();
  void warnOfIgnored();
  static int acceptPair(void *context, std::int32_t source, std::int32_t target, double squared_distance) noexcept;
  static int onProgress(void *context, const fricp_progress *progress) noexcept;
  template <class Call> bool guarded(Call call) noexcept {
    return detail::guarded(this->getClassName().c_str(), call);
  }
  void show(Run &run, const fricp_pose &pose, double nu);
  Inliers targetInliers();

  std::shared_ptr<detail::TargetGate> gate_ = std::make_shared<detail::TargetGate>();
  typename Search<PointTarget>::Ptr own_search_;
  Prepared behind_tree_; // a target whose pairs a search object of PCL's finds, and what it belongs to
  typename Base::KdTreePtr behind_tree_of_;
  Prepared behind_tree_positions_;
  std::shared_ptr<const detail::VectorTree> behind_tree_vectors_;
  std::uint64_t behind_tree_generation_ = 0;

  typename Base::PointRepresentationConstPtr representation_; // read for two types only
  pcl::IndicesConstPtr user_indices_;
  fricp_options options_ = FRICP_OPTIONS_INIT;
  fricp_pose motion_frame_{}; // what options_ may point to
  fricp_prior prior_ = FRICP_PRIOR_INIT;
  fricp_pose prior_pose_{};
  PairFilter pair_filter_;
  bool running_ = false;
  bool ran_ = false;             // the last align() came to an end of ours
  fricp_pose start_{};           // the guess, if it can be one
  const void *output_ = nullptr; // of the align() that runs
  bool warned_ = false;
  bool core_normals_ = false;
  bool sensor_origins_ = false;

  std::unique_ptr<fricp_solver, detail::SolverDeleter> solver_;
  typename ConvergenceCriteria::Ptr criteria_;
  fricp_result result_ = FRICP_RESULT_INIT;
  fricp_error error_{};
  Prepared aligned_target_;
  std::size_t aligned_count_ = 0; // points of the source; 0: no valid result
  bool output_was_input_ = false;
  Inliers target_inliers_{};
};

} // namespace fricp

#include "fricp/pcl/impl/registration.hpp"

#endif
