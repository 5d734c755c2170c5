/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fricp.h
 * fricp: fast and robust rigid registration of point clouds. The whole stable C API.
 *
 * Registration finds the rigid motion that lays a SOURCE cloud on a TARGET cloud when only a part of the two overlaps,
 * both are noisy and some points are outliers. The methods are those of the paper "Fast and Robust Iterative Closest
 * Point" (Zhang, Yao, Deng), called "the paper" below:
 *
 *   name              correspondence residual   kernel          in the paper
 *   auto              points, planes, symmetric Welsch          beyond it: see below            (the default)
 *   robust-icp        point to point            Welsch          Robust ICP, Algorithm 1
 *   robust-icp-plane  point to plane            Welsch          Robust ICP-l, Algorithm 2
 *   fast-icp          point to point            least squares   Fast ICP (Anderson-accelerated)
 *   icp               point to point            least squares   classical ICP, no acceleration
 *   icp-plane         point to plane            least squares   classical point-to-plane ICP, no acceleration
 *   symmetric-icp     symmetric                 least squares   beyond it: normals of both clouds (Rusinkiewicz 2019)
 *   robust-symmetric-icp  symmetric             Welsch          the paper's future work
 *   aa-icp            point to point            least squares   compared with: Pavlov et al. 2018, "AA-ICP": Anderson
 *                                                               acceleration of Euler angles, no safeguard by the energy
 *   sparse-icp        point to point            lp, p = 0.4     compared with: Bouaziz et al. 2013, "Sparse Iterative
 *   sparse-icp-plane  point to plane            lp, p = 0.4     Closest Point": l_p by ADMM, brought to rest
 *
 * The method auto needs no distance, no scale and no choice: it tries several ways on both clouds thinned to some 1500
 * cells, takes the pose that explains both clouds best (of two that do so nearly alike the one near the start), refines it
 * on all points (to planes, in 2-D lines, where the target has normals, symmetric where besides less than half of each
 * cloud is near the other, to points else), and says in result.verdict whether the answer is to be trusted.
 *
 * For a start, two arrays of n and m points x y z, and where the first must go to lie on the second:
 *
 *   fricp_cloud source = FRICP_CLOUD_INIT, target = FRICP_CLOUD_INIT;
 *   fricp_result result = FRICP_RESULT_INIT;
 *   fricp_error error;
 *   source.points = scan, source.count = n;
 *   target.points = map, target.count = m;
 *   if (fricp_register(&source, &target, NULL, NULL, &result, &error) != FRICP_OK)
 *     puts(error.text);
 *   else if (result.verdict == FRICP_VERDICT_RELIABLE)
 *     use(result.target_from_source.rotation, result.target_from_source.translation);
 *
 * This file is the manual, in the order of use:
 *
 *   1. One call       fricp_register() and how it fails
 *   2. Clouds         what may be registered; poses, moving points, normals
 *   3. Result         the pose, and how far to trust it
 *   4. Options        the method, where to start, when to stop
 *   5. Target         many sources against one target: it is indexed once, fricp_target_create()
 *   6. Solver         fricp_solver_align() for each of them: buffers are kept, so that by the paper's methods the next
 *                     scan of at most the same size allocates nothing; levels, trace, per-point outcome
 *   7. Hooks          progress and cancel, the caller's own nearest-neighbour search, own memory
 *   8. Names          of versions, errors, stop reasons and methods
 *
 * Conventions
 *   Pose       target_from_source: p_target = rotation * p_source + translation, column vectors, in the caller's units
 *              and origins. The pose found includes the guess: it applies to the source as passed.
 *   Units      any. Nothing in the defaults is an absolute length: millimetres, metres and map coordinates (pass
 *              doubles for the latter) give the same rotation.
 *   Structs    Those that may grow begin with struct_size. Start from the matching FRICP_..._INIT: it sets struct_size
 *              and leaves the rest zero. A zero field means the default. Later versions only append fields: a program
 *              built against an older header goes on working, its missing fields read as zero. A longer struct from a
 *              newer header is accepted if what this library does not know of it is zero; of a longer result the
 *              unknown fields become zero. A struct_size that no version has is refused.
 *   Errors     Functions return a fricp_status; only FRICP_OK is success. Reaching an iteration limit is not an error
 *              but a stop reason. On an error nothing of the caller's is changed but the error text and the result,
 *              whose pose is then the guess and whose converged is 0; an object that was to be created is NULL. A
 *              solver can be used again at once. See fricp_error and fricp_solver_last_error() for a text that names
 *              the cloud, the point and the field at fault.
 *   Threads    Functions on different objects may run at the same time. A fricp_target is immutable: any number of
 *              threads and solvers may share it. A fricp_solver serves one thread at a time. Results have the same bits
 *              for any number of threads. In a child by fork() of a process where the library has used several
 *              threads it runs on one.
 *   Memory     Clouds are borrowed views: they are read during the call and never kept, with no copy by the caller. The
 *              library never prints, exits, installs handlers, reads the environment or changes global state.
 */
#ifndef FRICP_FRICP_H
#define FRICP_FRICP_H

#include <stddef.h>
#include <stdint.h>

#include "fricp/version.h"

/** @def FRICP_API
 *  Marks what the library exports. */
#if defined(_WIN32) && defined(FRICP_SHARED)
#define FRICP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define FRICP_API __attribute__((visibility("default")))
#else
#define FRICP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. One call ------------------------------------------------------------------------------------------------ */

typedef struct fricp_cloud fricp_cloud;                   /* section 2 */
typedef struct fricp_pose fricp_pose;                     /* section 2 */
typedef struct fricp_result fricp_result;                 /* section 3 */
typedef struct fricp_options fricp_options;               /* section 4 */
typedef struct fricp_target_options fricp_target_options; /* section 5 */

/** What a function returns. Values are pinned: they never change meaning. */
typedef enum fricp_status {
  FRICP_OK = 0,
  FRICP_ERROR_INVALID_ARGUMENT = 1, /**< a null pointer, a bad stride, an option out of its range */
  FRICP_ERROR_OUT_OF_MEMORY = 2,    /**< the allocator returned null */
  FRICP_ERROR_EMPTY_CLOUD = 3,      /**< a cloud, or its index list, holds no finite point */
  FRICP_ERROR_TOO_FEW_POINTS = 4,   /**< fewer distinct points than a rigid pose needs (3, in 2-D 2) */
  FRICP_ERROR_BAD_INDEX = 5,        /**< an index list points outside its cloud */
  FRICP_ERROR_BAD_POSE = 6,         /**< the guess is not finite, not near a rotation, or mirrored */
  FRICP_ERROR_NO_NORMALS = 7,       /**< a method that needs normals, or max_normal_angle, and a target without a usable
                                           one; a question for normals to a target that was made without */
  FRICP_ERROR_NO_CORRESPONDENCES = 8, /**< at the start no source point that weighs something has a target point within
                                           max_distance */
  FRICP_ERROR_DEGENERATE = 9,         /**< the data determine no direction of motion at all */
  FRICP_ERROR_SEARCH = 10,            /**< the search back end or the caller's own search failed */
  FRICP_ERROR_NUMERICAL = 11,         /**< LAPACK reported a failure; not expected on any input */
  FRICP_ERROR_UNSUPPORTED = 12,       /**< a struct from a newer header uses a field this library does not know */
  FRICP_ERROR_INTERRUPTED = 13        /**< cancelled or out of time before there was a result */
} fricp_status;

/** A text for the last failure of a call that has no object of its own. Optional wherever it is a parameter. */
typedef struct fricp_error {
  int32_t status; /**< the fricp_status returned */
  char text[252]; /**< English, one line, no newline, zero-terminated; names the cloud, point or field */
} fricp_error;

/**
 * Register source to target.
 * @param guess    start; NULL: the identity. A matrix that is nearly a rotation (within 1e-3) is projected onto one.
 * @param options  NULL: FRICP_OPTIONS_INIT.
 * @param result   required, from FRICP_RESULT_INIT. On an error its pose is the guess and converged is 0.
 * @param error    may be NULL.
 * Methods other than those by points alone estimate the target's normals (30 neighbours, in 2-D 10) where it has none.
 * The symmetric metric (auto's, too) and max_normal_angle estimate the source's normals in the same way for the points
 * that have none, but not along curves, such as a laser's line in 3-D: those are point to plane, and pass the gate.
 */
FRICP_API fricp_status fricp_register(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                                      const fricp_options *options, fricp_result *result, fricp_error *error);

/* ---- 2. Clouds and poses ---------------------------------------------------------------------------------------- */

/** Scalar type of a cloud's numbers. Values are pinned. */
typedef enum fricp_scalar { FRICP_SCALAR_DOUBLE = 0, FRICP_SCALAR_FLOAT = 1 } fricp_scalar;

/**
 * A borrowed view of a point cloud: never copied by the caller, never kept, never written to.
 *
 * Points with a non-finite coordinate are skipped, and so are points beyond 1e75; indices in results count them all,
 * so they refer to the caller's arrays. Addresses need only the alignment of the scalar type.
 */
struct fricp_cloud {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  const void *points;     /**< x y (z) of point 0; required */
  size_t count;           /**< number of points in the array; at most 2^31 - 1 */
  size_t stride;          /**< bytes from one point to the next; 0: densely packed */
  int32_t scalar_type;    /**< fricp_scalar of points, normals and weights; 0: double */
  int32_t dimension;      /**< 2 or 3; 0: 3. In 2-D the pose is a planar one: rotation about z, no z shift */
  const void *normals;    /**< nx ny (nz) of point 0, any length and sign (each is normalised); NULL: none. A zero or
                               non-finite normal marks a point that has none */
  size_t normal_stride;   /**< bytes; 0: densely packed */
  const void *weights;    /**< one weight >= 0 a point; NULL: all 1. The source's count, the target's are only checked;
                               so are those of points that are left out */
  size_t weight_stride;   /**< bytes; 0: densely packed */
  const int32_t *indices; /**< use only these points, each below count; NULL: all. An empty list is an error */
  size_t index_count;     /**< length of indices; ignored if that is NULL */
};
/** The start of a fricp_cloud: its size, all else zero, which is the default. */
#define FRICP_CLOUD_INIT                                                                                               \
  { sizeof(fricp_cloud), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** A rigid motion: p_target = rotation * p_source + translation. */
struct fricp_pose {
  double rotation[3][3]; /**< [row][column], orthonormal, determinant +1 */
  double translation[3]; /**< in the clouds' unit */
};

/** @return the pose that moves nothing. */
FRICP_API fricp_pose fricp_pose_identity(void);
/** @return the pose that first applies b, then a: a * b. */
FRICP_API fricp_pose fricp_pose_multiply(const fricp_pose *a, const fricp_pose *b);
/** @return the pose that undoes a. */
FRICP_API fricp_pose fricp_pose_inverse(const fricp_pose *a);

/**
 * Move points (and normals, if the view has them) by a pose, in place or to other arrays of the same layout.
 * @param cloud   what to read; its index list selects what is moved, NULL moves all.
 * @param points  where to write, laid out as cloud->points (same stride and scalar type); may be the same array.
 * @param normals where to write rotated normals; may be NULL. Nothing between the coordinates is touched.
 * Non-finite points are copied as they are; a point that the index list names twice is moved once. Allocates only in
 * place with an index list that does not ascend: a bit a point.
 */
FRICP_API fricp_status fricp_transform(const fricp_pose *pose, const fricp_cloud *cloud, void *points, void *normals);

/**
 * Estimate unit normals by fitting a plane (2-D: a line) to each point's nearest neighbours.
 * @param options    normal_neighbors, threads, search, time_limit, ... as for a target; given_normals_only does not count,
 *                   and normals that the cloud has are not looked at. NULL: FRICP_TARGET_OPTIONS_INIT.
 * @param viewpoint  x y z towards which normals are turned; NULL: the sign is arbitrary.
 * @param normals    receives 3 doubles a point of cloud->count; NaN where the neighbours determine none.
 * @param error      may be NULL.
 */
FRICP_API fricp_status fricp_estimate_normals(const fricp_cloud *cloud, const fricp_target_options *options,
                                              const double *viewpoint, double *normals, fricp_error *error);

/* ---- 3. Result -------------------------------------------------------------------------------------------------- */

/** Why a registration that returned FRICP_OK ended. Values are pinned. */
typedef enum fricp_stop_reason {
  FRICP_STOP_NONE = 0,            /**< not run */
  FRICP_STOP_CONVERGED = 1,       /**< the last level's step fell below its tolerance, or the energy stands still */
  FRICP_STOP_ITERATION_LIMIT = 2, /**< a limit of iterations came first; the pose is the best so far */
  FRICP_STOP_POSE_EPSILON = 3, /**< translation_epsilon and rotation_epsilon both met: converged as the caller asked */
  FRICP_STOP_FITNESS_EPSILON = 4, /**< fitness_epsilon met: converged as the caller asked */
  FRICP_STOP_CANCELLED = 5,       /**< the progress hook asked for it */
  FRICP_STOP_TIME_LIMIT = 6,      /**< time_limit passed */
  FRICP_STOP_NO_DESCENT = 7, /**< no shorter step lowers the energy, since correspondences jump there, or by rounding;
                                converged is 1 if the step that is left is shorter than the target's spacing */
  FRICP_STOP_NO_OVERLAP = 8  /**< nothing of the source came near the target: a narrower kernel found no point within
                                its reach, or no inlier is left. The pose is that of the wider kernels; do not trust it */
} fricp_stop_reason;

/** Is the pose to be trusted? By method auto, from how well it explains both clouds. Values are pinned. */
typedef enum fricp_verdict {
  FRICP_VERDICT_NONE = 0, /**< not judged: another method, too few points (fewer than 60 cells of one of the clouds), a
                                    caller's own search, max_iterations below 10, or an interruption */
  FRICP_VERDICT_RELIABLE =
      1, /**< much of both clouds agrees, little contradicts, and no other pose that was tried comes
                                    close. A thing that looks the same when it is turned may be believed turned
                                    if that was not tried (a cube's quarters) */
  FRICP_VERDICT_AMBIGUOUS = 2, /**< another pose explains the clouds nearly as well, or this one too little better */
  FRICP_VERDICT_PARTIAL = 3, /**< as reliable, but some directions are not determined: they are as the start had them */
  FRICP_VERDICT_POOR = 4     /**< too little agrees, or too much contradicts: do not trust the pose */
} fricp_verdict;

/** What a registration found. Start from FRICP_RESULT_INIT; the library fills all but struct_size. */
struct fricp_result {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  fricp_pose target_from_source; /**< the best pose whose energy was computed, guess included */
  fricp_pose last_step;          /**< the last accepted step, in the target's frame: pose = last_step * pose before */
  int32_t stop_reason;           /**< fricp_stop_reason */
  int32_t converged;             /**< 1 for FRICP_STOP_CONVERGED, _POSE_EPSILON and _FITNESS_EPSILON, and for
                                      _NO_DESCENT if little of the way is left; else 0 */
  int32_t levels;                /**< nu levels run; 1 for kernels without a width */
  int32_t iterations;            /**< accepted poses, over all levels */
  int32_t correspondence_passes; /**< times all correspondences were established, rejected poses included */
  int32_t accelerated;           /**< accepted poses that came from Anderson acceleration */
  int32_t rejected;              /**< accelerated poses that raised the energy and were not used */
  int32_t threads;               /**< threads used */
  int32_t undetermined; /**< directions of motion, of those not locked, that neither the clouds nor a prior determine,
                             0 to 5 (2-D: 0 to 2); the pose keeps the guess along them. Not 0: do not trust those parts of the pose */
  int32_t verdict;      /**< fricp_verdict */
  double undetermined_directions[6][6]; /**< their unit twists, one a row, in the terms of information; then zeros */
  double energy;   /**< the paper's energy at the end: the sum over the used source points of the kernel of
                        the residual. Welsch: 1 - exp(-r^2 / (2 nu^2)), which has no unit. Least squares, trimmed: r^2
                        in units of the target's extent. Points out of max_distance count as at it (auto by
                        planes: at most 1.5 spacings, in 2-D 1); to planes those
                        whose target point has no normal by their distance to it. With a prior its part, too */
  double nu_start; /**< first and last kernel width, in the clouds' unit; 0: it has none */
  /** The last kernel width. */
  double nu_end;
  size_t points_source; /**< finite points used (selected by indices, if any) */
  /** The same of the target. */
  size_t points_target;
  size_t skipped_source; /**< non-finite points left out */
  /** The same of the target. */
  size_t skipped_target;
  size_t inliers;               /**< source points within inlier_distance of the target, at the end */
  double inlier_share;          /**< inliers / points_source: an estimate of the overlap */
  double inlier_rms;            /**< root mean square distance of the inliers, in the clouds' unit; 0 without inliers */
  double inlier_distance;       /**< the limit that was used */
  double information_center[3]; /**< c below, in the target's frame: the weighted centroid of the moved source */
  double information[6][6]; /**< inverse covariance of the pose error x = (a, v): the true motion of a point q of the
                                 target's frame is q + a x (q - c) + v; a in radians, v in the clouds' unit. H N^-1 H
                                 over the residuals' variance, with the weighted normal matrix N and what a motion really
                                 changes, H, measured on a sample: the kernel lets go, correspondences change, points
                                 slide along surfaces. Noise that is independent from point to point in both clouds is
                                 assumed, and that the pose is right but for it. What the clouds say: neither a prior is
                                 in it nor that directions are locked */
  double seconds_prepare; /**< target preparation (one-call form only) and source packing. Stopped by the time limit or
                                 the progress hook, a call leaves zero what it does not know: before the first
                                 correspondences all but the pose, which is the guess, the stop reason and, as far as
                                 they are counted, the points */
  /** All the rest of the call. */
  double seconds_solve;
  /* What the verdict goes by (method auto; else 0). Both clouds are thinned to cells; a cell is near if the other cloud has
   * one within 1.5 spacings of the cells, and agrees if they lie on each other's tangent planes and their normals are
   * parallel. Of a target that is much larger than the source, as a map is than a scan, only the cells around the source
   * count. */
  double overlap_source; /**< share of the source's cells that agree, 0 to 1 */
  double overlap_target; /**< share of the target's */
  double agreement;      /**< of what is near or seen through on both sides the share that agrees, 0 to 1 */
  /** The score of the best other pose that was tried, over that of this one, at most 1e6; 0: no other. A pose more than
   *  twice as far from the start has its score multiplied by 0.8 first, or by 0.95 if it explains the whole of both. */
  double rival;
  int32_t candidates; /**< poses that were compared: see fricp_solver_get_candidates() */
  /** 0. */
  int32_t reserved;
  double through_source; /**< share of the source's cells that the target's sensor saw through: where they lie, it saw
                              only what is behind. 0 without a target_sensor */
  double through_target; /**< share of the target's that the source's sensor saw through */
  /** The same as `agreement`, of what shows a shift along some direction, over `agreement`: the least over all directions,
   *  0 to 1. Below 0.4 the verdict is poor, as where ground lies on ground and what stands on it on nothing. */
  double agreement_least;
};
/** The start of a fricp_result: its size, all else zero, which is the default. */
#define FRICP_RESULT_INIT                                                                                              \
  {                                                                                                                    \
    sizeof(fricp_result), {{{0}}, {0}}, {{{0}}, {0}}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {{0}}, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
        0, 0, {0}, {{0}}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                              \
  }

/** The same for an assignment. Compiled into the caller, so that the struct has the caller's size. */
static inline fricp_result fricp_result_init(void) {
  const fricp_result result = FRICP_RESULT_INIT;
  return result;
}

/* ---- 4. Options ------------------------------------------------------------------------------------------------- */

typedef struct fricp_progress fricp_progress; /* section 7 */

/** The methods (see the head of this file). Values are pinned. */
typedef enum fricp_method {
  FRICP_METHOD_AUTO = 0,
  FRICP_METHOD_ROBUST_ICP = 1,
  FRICP_METHOD_ROBUST_ICP_PLANE = 2,
  FRICP_METHOD_FAST_ICP = 3,
  FRICP_METHOD_ICP = 4,
  FRICP_METHOD_ICP_PLANE = 5,
  FRICP_METHOD_SYMMETRIC_ICP = 6,
  FRICP_METHOD_ROBUST_SYMMETRIC_ICP = 7,
  FRICP_METHOD_AA_ICP = 8,
  FRICP_METHOD_SPARSE_ICP = 9,
  FRICP_METHOD_SPARSE_ICP_PLANE = 10
} fricp_method;

/** What the residual of a pair is. Values are pinned. */
typedef enum fricp_metric {
  FRICP_METRIC_DEFAULT = 0, /**< the method's own */
  FRICP_METRIC_POINT_TO_POINT = 1,
  FRICP_METRIC_POINT_TO_PLANE = 2, /**< along the target's normal */
  FRICP_METRIC_SYMMETRIC = 3 /**< along the mean of the target's and the moved source's normal (Rusinkiewicz 2019) */
} fricp_metric;

/** The robust function rho of the residual r, of the width nu. With a width the weight is nu^2 rho'(r) / r, which is 1 at
 *  r = 0. Values are pinned. */
typedef enum fricp_kernel {
  FRICP_KERNEL_DEFAULT = 0,       /**< the method's own */
  FRICP_KERNEL_LEAST_SQUARES = 1, /**< r^2 */
  FRICP_KERNEL_WELSCH = 2,        /**< 1 - exp(-r^2 / (2 nu^2)) */
  FRICP_KERNEL_HUBER = 3,         /**< weight 1 up to nu, then nu / r */
  FRICP_KERNEL_TUKEY = 4,         /**< weight (1 - r^2 / (2 nu)^2)^2 up to 2 nu, then 0 */
  FRICP_KERNEL_CAUCHY = 5,        /**< ln(1 + r^2 / (2 nu^2)) */
  FRICP_KERNEL_GEMAN_MCCLURE = 6, /**< weight 1 / (1 + r^2 / (2 nu)^2)^2 */
  FRICP_KERNEL_LP = 7,     /**< |r|^p of what exceeds noise, p = kernel_shape: the Moreau envelope of l_p; weight 1
                                       up to 1.5 nu, then falling like |r|^(p - 2) */
  FRICP_KERNEL_TRIMMED = 8 /**< r^2 of the points with the smallest residuals, which are the share kernel_shape of
                                       the source's weight; the others weigh and cost nothing. No width, so no levels */
} fricp_kernel;

/** How iterates are accelerated. Values are pinned. */
typedef enum fricp_acceleration {
  FRICP_ACCELERATION_DEFAULT = 0, /**< the method's own */
  FRICP_ACCELERATION_NONE = 1,    /**< as anderson_history = -1 */
  FRICP_ACCELERATION_ANDERSON = 2 /**< also where the method has none */
} fricp_acceleration;

/** Where the registration starts. Values are pinned. */
typedef enum fricp_start {
  FRICP_START_GUESS = 0,   /**< at the guess as given (the identity without one) */
  FRICP_START_CENTROID = 1 /**< at the guess, then translated so that the mean of the source's points lies on the mean
                                of the target's, where points at the same place count once */
} fricp_start;

/** Directions of motion, of which some may be locked: turns about the axes of a frame, shifts along them. A set of them is
 *  the sum. Values are pinned. */
typedef enum fricp_direction {
  FRICP_TURN_X = 1, /**< roll */
  FRICP_TURN_Y = 2, /**< pitch */
  FRICP_TURN_Z = 4, /**< yaw */
  FRICP_SHIFT_X = 8,
  FRICP_SHIFT_Y = 16,
  FRICP_SHIFT_Z = 32,
  FRICP_ONLY_YAW_SHIFT = 3, /**< to lock roll and pitch */
  FRICP_ONLY_PLANAR = 35,   /**< to lock roll, pitch and z: free are x, y and yaw */
  FRICP_ONLY_SHIFT = 7,     /**< to lock all turns */
  FRICP_ONLY_ROTATION = 56  /**< to lock all shifts */
} fricp_direction;

/**
 * What is known of the pose beforehand, as a Gaussian: information is the inverse covariance of x = (a, v), where the
 * prior's pose is off by a turn a (a rotation vector, in radians, along the target's axes) and the point of the moved
 * source that it lays at `center` by a shift v; for small errors that is the x of fricp_result, whose information_center
 * and information may be passed on. Directions of no information are zero rows and columns, or any singular matrix.
 *
 * It is weighed against the clouds as two measurements are: fricp_result.information, what the clouds say, and this one
 * together decide; exactly where nothing but noise is in the residuals and no correspondence changes, else by one factor for
 * all directions, so that a quarter of the shift may be off. Directions that the clouds leave open are where it has them.
 * What outweighs the clouds more than 1e9 times counts as that; a deviation beyond 1e30 radians or extents says nothing.
 */
typedef struct fricp_prior {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  const fricp_pose *pose;   /**< target_from_source; NULL: the guess */
  double center[3];         /**< in the target's frame */
  double information[6][6]; /**< symmetric, no negative eigenvalue, its diagonal up to 1e200 in units of the target's
                                 extent; in 2-D only the turn about z and the shifts along x and y count */
} fricp_prior;
/** The start of a fricp_prior: its size, all else zero, which is the default. */
#define FRICP_PRIOR_INIT                                                                                               \
  {                                                                                                                    \
    sizeof(fricp_prior), 0, {0}, {                                                                                     \
      { 0 }                                                                                                            \
    }                                                                                                                  \
  }

/** Called on the calling thread after each accepted pose, and in between, while a target is prepared, too, whenever some
 *  20 ms have passed: then with the numbers of the last accepted pose. Non-zero cancels: the best pose so far is returned.
 */
typedef int (*fricp_progress_function)(void *context, const fricp_progress *progress);

/**
 * A gate of the caller's: does a pair count? Asked at every pass over the correspondences, once for each pair that counts
 * by all other gates; 0 rejects it, and the source point is without a correspondence in that pass: it costs what a point at
 * max_distance costs or, without one, point to point what the kernel costs at most, by normals nothing. So by normals set
 * max_distance, too: else a pose whose pairs are rejected looks good. It must answer the same for the same arguments, or the
 * registration may not settle. Called by several threads at once unless threads is 1; it must not call the library with the
 * same solver. Not asked by method auto of its cells, only where it refines.
 * @param source_index, target_index  of the clouds as passed; of target points at one place the lowest.
 * @param squared_distance            at the pose that is tried, in the clouds' unit, squared.
 */
typedef int (*fricp_pair_function)(void *context, int32_t source_index, int32_t target_index, double squared_distance);

/** Receives one line of diagnostics at a time, without a newline, on the calling thread. */
typedef void (*fricp_log_function)(void *context, const char *line);

/**
 * How to register. FRICP_OPTIONS_INIT gives auto. Robust methods have the paper's kernel, schedule of nu and
 * acceleration, with what this library adds to them: early levels on a part of the points (full_resolution), a
 * preconditioner for point-to-point (anderson_history), a floor of nu at the target's noise (nu_end_factor), and a last
 * level that goes below the paper's tolerance or ends where the energy stands still.
 *
 * A method is a metric, a kernel and an acceleration; each may be replaced by another (but auto's metric and kernel, which
 * it chooses itself: FRICP_ERROR_INVALID_ARGUMENT). Limits of iterations follow the metric and the kernel.
 */
struct fricp_options {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  int32_t method;         /**< fricp_method; 0: auto. With max_iterations below 10 auto tries no ways: it makes
                               those steps from where it is */
  int32_t start;          /**< fricp_start; 0: the guess */
  int32_t max_iterations; /**< total over all levels, >= 0; each level gets its share, so that the smallest nu is always
                               reached. 0: the paper's limits, 1000 a level, and 10,000 in all; by normals with a kernel
                               that has a width 6 in the first level, one more in each later one, at most 10 (1000 in
                               the last). What is open is held, or a prior settles, in runs of the last level of their own */
  int32_t anderson_history; /**< m, earlier iterates used by Anderson acceleration, 1 to 16; 0: the method's own (5,
                               none for icp, icp-plane and symmetric-icp); -1: no acceleration, nor point-to-point's preconditioner */
  double max_distance;      /**< source points farther than this from the target do not count, in the clouds' unit, > 0;
                                 0: no limit. Also bounds the search. The ways of auto, on cells, look two cells far at
                                 least */
  double nu_start_factor;   /**< first nu = this times the median initial residual, > 0; 0: 3 */
  double nu_end_factor;     /**< last nu = this times the target's median spacing (point-to-point) or median neighbour
                                 distance to the tangent plane (point-to-plane). 0: the paper's 1 / (3 sqrt 3) and
                                 1 / 6, but at least 1.5 times the points' deviation from planes through twelve
                                 neighbours, beyond a tenth of the spacing (point-to-plane: at least the target's
                                 noise, see fricp_target_info; auto by planes: twice that) */
  double translation_epsilon; /**< stop the last level when an iteration moves the source's middle (the median of each
                                   coordinate) by at most this, in the clouds' unit, and turns it by at most
                                   rotation_epsilon; 0: own tolerance */
  double rotation_epsilon;    /**< in radians; with only one of the two set, only that one is asked for */
  double fitness_epsilon;     /**< stop the last level when the weighted mean squared residual changes by at most this
                                   share; 0: off */
  double inlier_distance;  /**< what counts as an inlier in the result, in the clouds' unit; 0: the target's spacing */
  double time_limit;       /**< seconds that the call may take, the preparation of the target in the one-call form
                                included; then the best pose so far is returned. 0: none */
  int32_t full_resolution; /**< 1: every level uses every source point; 0: early levels, where the kernel is wide, use
                                an evenly spread part of them */
  int32_t reciprocal;      /**< 1: a pair counts only if its source point is also the nearest to its target point */
  int32_t threads;         /**< 1 or more; 0: as many as the machine has, fewer for small clouds */
  int32_t starts; /**< auto: rotations of the start about the source's mean to try, spread evenly, 1 to 1000; 0: 1,
                                the start as given; 48 cover all rotations. No matter to other methods, and where one of the
                                clouds has fewer than 60 cells */
  fricp_progress_function progress; /**< NULL: none */
  /** Passed back to progress. */
  void *progress_context;
  fricp_log_function log; /**< NULL: none */
  /** Passed back to log. */
  void *log_context;
  const fricp_pose *motion_frame; /**< the frame of the locked directions, as a pose in the target's: its axes and its
                                       origin. NULL: the target's axes, the origin where the guess places the source's */
  int32_t locked; /**< directions that are not free, the sum of fricp_direction, 0 to 62 (not all); 0: none. Of the
                       motion from the guess to the pose, in motion_frame, the rotation vector has no component along a
                       locked turn, and the point that lay at the origin is not moved along a locked shift: exactly, to
                       rounding. So by default locked shifts are components of the pose's translation that stay those of
                       the guess; with turns about z alone, roll and pitch stay. FRICP_START_CENTROID and starts move
                       and turn what is free; starts with no free turn is an error. In 2-D only the turn about z and the
                       shifts along x and y count */
  int32_t metric; /**< fricp_metric; 0: the method's own. What normals it needs, fricp_options_normals() tells */
  const fricp_prior
      *prior; /**< NULL: none. Read during the call. In the energy, the step and all that is judged by them;
                                 method auto's choice between candidates goes by the clouds alone */
  fricp_pair_function accept_pair; /**< NULL: every pair counts */
  /** Passed back to accept_pair. */
  void *pair_context;
  int32_t kernel;       /**< fricp_kernel; 0: the method's own. The sparse methods solve FRICP_KERNEL_LP only */
  int32_t acceleration; /**< fricp_acceleration; 0: the method's own. What contradicts anderson_history is refused */
  int32_t fixed_width;  /**< 1: the kernel has its last width from the start, without a schedule of widths; 0: from wide
                             to narrow. Least squares and trimmed: no matter; auto: where its cells serve */
  /** 0, or the call is refused. */
  int32_t reserved;
  double kernel_shape;     /**< above 0 up to 1: the exponent p of FRICP_KERNEL_LP, 0: 0.4; the share of
                                FRICP_KERNEL_TRIMMED, 0: 0.7. With a kernel that has no shape it is refused */
  double max_normal_angle; /**< a gate: a pair counts only if the normals of its points are at most this far apart, in
                                radians, above 0 up to pi / 2; 0: off. The signs of normals are no matter; where one is
                                missing the pair counts. With any metric; needs normals as the symmetric one does. Not
                                asked by method auto of its cells, only where it refines */
  const double
      *source_sensor; /**< x y z where the whole source was seen from, in its frame and unit; NULL: not known, or
                                    from several places. It tells method auto what space was seen through: a pose that
                                    puts the target's surface there is wrong. Other methods: no matter */
  /** The same of the target. */
  const double *target_sensor;
};
/** The start of a fricp_options: its size, all else zero, which is the default. */
#define FRICP_OPTIONS_INIT                                                                                             \
  {                                                                                                                    \
    sizeof(fricp_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
        0, 0, 0, 0                                                                                                     \
  }

/* ---- 5. A prepared target --------------------------------------------------------------------------------------- */

typedef struct fricp_search fricp_search;       /* section 7 */
typedef struct fricp_allocator fricp_allocator; /* section 7 */

/** A target cloud, copied, indexed, measured. Immutable; may be shared by any number of threads and solvers. */
typedef struct fricp_target fricp_target;

/** Search back ends. All are exact and give the same neighbours. Values are pinned. */
typedef enum fricp_search_type {
  FRICP_SEARCH_DEFAULT = 0, /**< the fastest one measured: FRICP_SEARCH_TREE */
  FRICP_SEARCH_TREE = 1,    /**< fricp's bucketed tree of wide boxes */
  FRICP_SEARCH_FLANN = 2,   /**< FLANN's KDTREE_SINGLE */
  FRICP_SEARCH_BRUTE = 3    /**< every point looked at: for checking the others */
} fricp_search_type;

/** How to prepare a target. */
struct fricp_target_options {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  int32_t given_normals_only; /**< 0: normals are estimated for points without one, or all of them, which takes most of
                                   the time of a preparation and makes method auto by far more exact; 1: only those
                                   given are taken, which is enough for methods on points */
  int32_t normal_neighbors;   /**< neighbours an estimated normal is fitted to, the point included, 3 to 256; 0: 30,
                                   in 2-D 10 */
  int32_t search_type;        /**< fricp_search_type; ignored if search is set */
  int32_t threads;            /**< as in fricp_options */
  const fricp_search *search; /**< the caller's own search; NULL: none. Copied; its context must outlive the target */
  const fricp_allocator *allocator; /**< NULL: malloc and free. Copied; its context must outlive the target */
  double time_limit;                /**< seconds for the preparation; then FRICP_ERROR_INTERRUPTED. 0: none. FLANN's own
                                         building of its index cannot be interrupted: 0.3 s for a million
                                         points */
  fricp_progress_function progress; /**< asked while the target is prepared; non-zero cancels, which is
                                         FRICP_ERROR_INTERRUPTED. NULL: none */
  /** Passed back to progress. */
  void *progress_context;
};
/** The start of a fricp_target_options: its size, all else zero, which is the default. */
#define FRICP_TARGET_OPTIONS_INIT                                                                                      \
  { sizeof(fricp_target_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Prepare a target: copy its finite points, build the index, measure the spacing, take normals and estimate missing ones.
 * O(n log n); about 72 bytes a point at the peak, 60 without normals. The cloud may be freed or changed afterwards.
 * @param target  receives the new object, to be given to fricp_target_destroy(); NULL on an error.
 * @param options NULL: FRICP_TARGET_OPTIONS_INIT.
 * @param error   may be NULL.
 */
FRICP_API fricp_status fricp_target_create(fricp_target **target, const fricp_cloud *cloud,
                                           const fricp_target_options *options, fricp_error *error);

/** Free a target; NULL is allowed. No solver may be using it. */
FRICP_API void fricp_target_destroy(fricp_target *target);

/** Facts about a prepared target. */
typedef struct fricp_target_info {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  size_t points;        /**< finite points held */
  size_t skipped;       /**< non-finite points left out */
  size_t normals;       /**< points with a usable normal */
  size_t bytes;         /**< memory held */
  double spacing;       /**< median over the points (over 20,000: as many of them) of the median distance to six
                             neighbours, in the cloud's unit */
  double plane_spacing; /**< the same of the neighbours' distances to the tangent plane; 0 without normals */
  double noise;         /**< estimated standard deviation of the points about their surface, curvature taken out, in the
                             cloud's unit */
  double extent;        /**< the length by which the target is scaled internally, in the cloud's unit */
  int32_t dimension;    /**< 2 or 3 */
  /** 0. */
  int32_t reserved;
} fricp_target_info;
/** The start of a fricp_target_info: its size, all else zero, which is the default. */
#define FRICP_TARGET_INFO_INIT                                                                                         \
  { sizeof(fricp_target_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** @param info  from FRICP_TARGET_INFO_INIT; unchanged on an error, which is FRICP_ERROR_INVALID_ARGUMENT. */
FRICP_API fricp_status fricp_target_get_info(const fricp_target *target, fricp_target_info *info);

/**
 * The k nearest points of the target, exact, nearest first (equal distances: the lower index first).
 * @param query                 x y z in the target's frame and unit (2-D: z is ignored); not finite: finds none.
 * @param max_squared_distance  may be INFINITY.
 * @param indices, squared_distances  room for k; indices are those of the cloud given to fricp_target_create().
 * @return how many were found, or a negative number: minus a fricp_status.
 */
FRICP_API int fricp_target_nearest(const fricp_target *target, const double query[3], int k,
                                   double max_squared_distance, int32_t *indices, double *squared_distances);

/**
 * The k nearest points of each of the target's own points, which is its own nearest or as near as that, found together:
 * several times faster than by fricp_target_nearest(), which answers the same.
 * @param k        1 to 256.
 * @param options  threads, time_limit and progress count; NULL: FRICP_TARGET_OPTIONS_INIT.
 * @param indices  receives k for each point of the cloud given to fricp_target_create(), nearest first; -1 in what is left
 *                 over where the target has fewer points, and for points that are skipped.
 * @param error    may be NULL. On an error some rows are written.
 */
FRICP_API fricp_status fricp_target_neighbors(const fricp_target *target, int k, const fricp_target_options *options,
                                              int32_t *indices, fricp_error *error);

/**
 * All points within a squared distance, in no particular order.
 * @param capacity  room in the arrays; at most so many are written.
 * @return how many there are, which may be more than capacity, or minus a fricp_status.
 */
FRICP_API int fricp_target_within(const fricp_target *target, const double query[3], double max_squared_distance,
                                  int32_t *indices, double *squared_distances, int capacity);

/** The unit normals of the target, 3 doubles for each point of the cloud given to fricp_target_create() (its count of
 *  rows); NaN where there is none. */
FRICP_API fricp_status fricp_target_get_normals(const fricp_target *target, double *normals, size_t count);

/* ---- 6. A solver that is used again ----------------------------------------------------------------------------- */

/** Buffers and results of one registration at a time. For one thread at a time. */
typedef struct fricp_solver fricp_solver;

/** One nu level. */
typedef struct fricp_level {
  double nu;          /**< kernel width, in the clouds' unit; 0: it has none */
  double energy;      /**< at the end of the level */
  int32_t iterations; /**< accepted poses */
  int32_t points;     /**< source points in use */
} fricp_level;

/** One line of the trace: one accepted or rejected pose. */
typedef struct fricp_trace_row {
  int32_t level;       /**< nu level, from 0 */
  int32_t accepted;    /**< 1, or 0 for a rejected accelerated pose */
  int32_t accelerated; /**< 1 if the pose came from Anderson acceleration */
  int32_t points;      /**< source points in use */
  double nu;           /**< kernel width, in the clouds' unit; 0: it has none */
  double energy;       /**< at this pose */
  double step; /**< fixed-point residual ||T' - T|| (Frobenius, in units of the target's extent); NaN if not accepted */
  double seconds;                /**< since the call began */
  fricp_pose target_from_source; /**< this pose */
} fricp_trace_row;

/** @param allocator  NULL: malloc and free. Copied; its context must outlive the solver. */
FRICP_API fricp_status fricp_solver_create(fricp_solver **solver, const fricp_allocator *allocator);
/** Free a solver; NULL is allowed. */
FRICP_API void fricp_solver_destroy(fricp_solver *solver);

/** As fricp_register(), on a prepared target. Allocates nothing if an earlier source and target were as large
 *  (but with method auto, for cells of both clouds: some megabytes). */
FRICP_API fricp_status fricp_solver_align(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                                          const fricp_pose *guess, const fricp_options *options, fricp_result *result);

/** @return a text for the last failure of this solver, "" if the last call succeeded; valid until its next call. */
FRICP_API const char *fricp_solver_last_error(const fricp_solver *solver);

/** The levels of the last registration, owned by the solver, valid until its next call. @return how many. */
FRICP_API size_t fricp_solver_get_levels(const fricp_solver *solver, const fricp_level **levels);

/** One of the poses that method auto compared. */
typedef struct fricp_candidate {
  char name[24];   /**< the way it was found: "symmetric-3" by the symmetric residual from a first width of three median
                      distances, "symmetric-3-mutual" and "plane-3-mutual" (planes) by pairs that are each other's nearest
                      only, "point-3-symmetric" by points first, "plane" by planes after another start, "axes" from where
                      the clouds' principal axes lie on each other, if that explains the whole of both */
  int32_t start;   /**< number of the rotation it came from; 0: the start as given, or "axes" */
  int32_t chosen;  /**< 1: the one that was refined. It has the highest score, or at least 0.8 of the highest (or 0.95,
                       if that explains the whole of both clouds) and less than half its distance from the start */
  double score;    /**< agreeing cells over 0.03, near ones and those seen through, shares of either side summed; times
                     agreement_least / 0.4 where that is less than one; 0 to 1 */
  double moved;    /**< root mean square of what it moves the source's cells from the start, in the clouds' unit; 0 with
                     several `starts`, where that does not count */
  double agree[2]; /**< shares of the source's and of the target's cells that agree */
  double near[2];  /**< the same, that are near */
  double through[2];             /**< the same, that the other cloud's sensor saw through */
  fricp_pose target_from_source; /**< before it was refined */
  double agreement_least;        /**< as in fricp_result */
} fricp_candidate;

/** The candidates of the last registration by method auto, owned by the solver, valid until its next call. @return how
 *  many. */
FRICP_API size_t fricp_solver_get_candidates(const fricp_solver *solver, const fricp_candidate **rows);

/** The trace of the last registration, owned by the solver, valid until its next call; the last 1024 rows are kept.
 *  @return how many. */
FRICP_API size_t fricp_solver_get_trace(const fricp_solver *solver, const fricp_trace_row **rows);

/**
 * Per-point outcome of the last registration at its final pose, one entry for each of the source's points (count rows,
 * as passed to fricp_solver_align()); any pointer may be NULL.
 * @param target_indices    the corresponding target point; -1: none (not finite, not selected, out of max_distance, by
 *                          auto on planes out of 1.5 spacings, in 2-D of 1, or proven so far that its weight is below 1e-13).
 * @param squared_distances to that point, in the clouds' unit; -1 where there is none.
 * @param residuals         what the metric measures: that distance, or the signed distance to the tangent plane; NaN
 *                          where there is none.
 * @param weights           the kernel's weight, 0 to 1; 0 where there is none.
 * @return FRICP_ERROR_INVALID_ARGUMENT: another count, no registration yet, or one that was stopped before it knew.
 */
FRICP_API fricp_status fricp_solver_get_points(const fricp_solver *solver, size_t count, int32_t *target_indices,
                                               double *squared_distances, double *residuals, double *weights);

/* ---- 7. Hooks --------------------------------------------------------------------------------------------------- */

/** What a progress hook sees. While a target or a source is prepared, and before the first correspondences are known,
 *  only seconds has a meaning: the other numbers are 0 and the pose is the guess (a target has none: the identity). */
struct fricp_progress {
  /** Bytes of this struct that the library has filled; a newer one may fill more. */
  size_t struct_size;
  int32_t level;                 /**< nu level, from 0 */
  int32_t levels;                /**< number of levels planned */
  int32_t iteration;             /**< iterations done in all */
  int32_t level_iteration;       /**< iterations done in this level */
  double nu;                     /**< kernel width, in the clouds' unit; 0: it has none */
  double energy;                 /**< as in fricp_result */
  double seconds;                /**< since the call began */
  fricp_pose target_from_source; /**< the last accepted pose */
};

/**
 * The caller's own nearest-neighbour search over the target, in the target's frame, unit and indices.
 * nearest() fills at most k indices and squared distances, nearest first, of points with a squared distance of at most
 * max_squared_distance (it may be infinite), and returns how many; a negative number is a failure and ends the
 * registration with FRICP_ERROR_SEARCH. The distance reported need not be Euclidean: it is used to order candidates;
 * fricp computes the geometric distance to the winner itself. While a target is prepared its spacing, noise and normals
 * are measured through the same function, with k up to 64 (normals: normal_neighbors); so are, by the accelerated
 * point-to-point methods, the normals of some hundred target points while they run.
 */
struct fricp_search {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  void *context; /**< passed back */
  /** Asked for the k nearest points of a place: see above. */
  int (*nearest)(void *context, const double query[3], int k, double max_squared_distance, int32_t *indices,
                 double *squared_distances);
  int32_t thread_safe; /**< 1: may be called by several threads at once; 0: only by the calling thread */
  int32_t reserved;    /**< 0 */
  /** Asked instead of nearest() for the correspondence of a source point, which it is told by its index in the cloud
   *  given to fricp_solver_align(): for a metric of more than positions. NULL: nearest() is asked. */
  int (*nearest_of)(void *context, int32_t source_index, const double query[3], int k, double max_squared_distance,
                    int32_t *indices, double *squared_distances);
};
/** The start of a fricp_search: its size, all else zero, which is the default. */
#define FRICP_SEARCH_INIT                                                                                              \
  { sizeof(fricp_search), 0, 0, 0, 0, 0 }

/** The caller's memory. Both functions may be called by the thread that calls the library, never by others. */
struct fricp_allocator {
  /** Bytes of this struct, as its FRICP_..._INIT sets it. */
  size_t struct_size;
  void *context;                                 /**< passed back */
  void *(*allocate)(void *context, size_t size); /**< aligned as malloc does; NULL when there is none */
  void (*release)(void *context, void *memory);  /**< memory may be NULL */
};
/** The start of a fricp_allocator: its size, all else zero, which is the default. */
#define FRICP_ALLOCATOR_INIT                                                                                           \
  { sizeof(fricp_allocator), 0, 0, 0 }

/* ---- 8. Names --------------------------------------------------------------------------------------------------- */

/** @return the text of the version the library was built as, such as "0.1.0"; static. */
FRICP_API const char *fricp_version(void);

/** @return a short English text for a status or "unknown status"; static. */
FRICP_API const char *fricp_status_text(fricp_status status);

/** @return a stable lower-case name, such as "converged" or "iteration_limit"; static. */
FRICP_API const char *fricp_stop_reason_name(int32_t stop_reason);

/** @return a verdict's name, such as "reliable"; "none" for a pose that was not judged; static. */
FRICP_API const char *fricp_verdict_name(int32_t verdict);

/** @return a method's name as in the table at the head of this file, NULL for a number that is none; static. Methods
 * are numbered from 0 without gaps: count up to the first NULL to list them. */
FRICP_API const char *fricp_method_name(int32_t method);

/** Look a method up by name. @return FRICP_OK, or FRICP_ERROR_INVALID_ARGUMENT leaving *method unchanged. */
FRICP_API fricp_status fricp_method_from_name(const char *name, int32_t *method);

/** @return the name of a metric, kernel or acceleration ("point-to-plane", "geman-mcclure", "anderson"), NULL for a number
 * that is none, 0 included; static. They are numbered from 1 without gaps. */
FRICP_API const char *fricp_metric_name(int32_t metric);
FRICP_API const char *fricp_kernel_name(int32_t kernel);             /**< The same of a kernel. */
FRICP_API const char *fricp_acceleration_name(int32_t acceleration); /**< The same. */

/** Look one up by name. @return FRICP_OK, or FRICP_ERROR_INVALID_ARGUMENT leaving the number unchanged. */
FRICP_API fricp_status fricp_metric_from_name(const char *name, int32_t *metric);
FRICP_API fricp_status fricp_kernel_from_name(const char *name, int32_t *kernel); /**< The same of a kernel. */
FRICP_API fricp_status fricp_acceleration_from_name(const char *name, int32_t *acceleration); /**< The same. */

/** Normals that a registration makes use of, as bits. Values are pinned. */
typedef enum fricp_normals {
  FRICP_NORMALS_TARGET = 1,      /**< needs them on the target */
  FRICP_NORMALS_TARGET_USED = 2, /**< makes use of them, needed or not */
  FRICP_NORMALS_SOURCE = 4       /**< needs them on the source, where it estimates what is missing */
} fricp_normals;

/** @return the fricp_normals of these options (NULL: the default ones), 0 if there is no such method or metric. Reads
 *  method, metric and max_normal_angle only. */
FRICP_API int fricp_options_normals(const fricp_options *options);

/** @return 1 if the method needs normals on the target, else 0. */
FRICP_API int fricp_method_needs_normals(int32_t method);

/** @return 1 if the method makes use of normals on the target, whether it needs them (as above) or not (auto), else 0. */
FRICP_API int fricp_method_uses_normals(int32_t method);

#ifdef __cplusplus
}
#endif

#endif /* FRICP_FRICP_H */
