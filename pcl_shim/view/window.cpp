// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include "file_bytes.hpp"
#include "text.hpp"

#include <pcl/visualization/interactor_style.h>
#include <pcl/visualization/pcl_visualizer.h>

#include <vtkActor2D.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCoordinate.h>
#include <vtkObjectFactory.h>
#include <vtkPNGWriter.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkRenderWindow.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRendererCollection.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>
#include <vtkWindowToImageFilter.h>

#include <functional>

namespace fricp::view {

namespace {

using tool::Colour;

const Colour ink(60, 60, 60);
constexpr double bar_left = 0.885; // of the legend, as shares of the window
constexpr double bar_right = 0.9;
constexpr double bar_bottom = 0.2;
constexpr double bar_top = 0.75;

using Box = Eigen::AlignedBox3d;
using Cloud = pcl::PointCloud<pcl::PointXYZRGB>;

Cloud::Ptr to_pcl(tool::Picture picture) {
  const auto cloud = pcl::make_shared<Cloud>();
  pcl::fromPCLPointCloud2(picture.finish().data, *cloud);
  return cloud;
}

/** Where most of a cloud is along these axes: a few outliers should not make the rest small. */
Box body_of(const Cloud &cloud, const Eigen::Matrix3d &axes) {
  const Eigen::Matrix3Xd points = axes.transpose() * cloud.getMatrixXfMap().topRows<3>().cast<double>();
  const Eigen::Vector3d middle = points.rowwise().mean();
  const Eigen::Vector3d spread = (points.colwise() - middle).rowwise().norm() / std::sqrt(points.cols());
  constexpr double reach = 2.5; // a plate's edge is at 1.7
  const Box all(points.rowwise().minCoeff(), points.rowwise().maxCoeff());
  return all.intersection(Box(middle - reach * spread, middle + reach * spread));
}

/** PCL's mouse, our keys: PCL's own mean other things. */
class Style : public pcl::visualization::PCLVisualizerInteractorStyle {
public:
  static Style *New();
  std::function<void(const std::string &)> press;

protected:
  void OnKeyDown() override {
    const char letter = Interactor->GetKeyCode();
    if (letter == 'q')
      Interactor->ExitCallback();
    else
      press(letter > ' ' ? std::string(1, letter) : Interactor->GetKeySym());
  }
  void OnChar() override {
  }
};
vtkStandardNewMacro(Style);

class Window {
public:
  Window(Scene &scene, bool shown)
      : scene_(scene), target_(to_pcl(scene.target())), before_(to_pcl(scene.before())), after_(to_pcl(scene.after())),
        size_(after_->size() > 50000 ? 2 : 3), viewer_(words_, nullptr, "fricp: " + scene.subtitle(), style_, shown) {
    style_->press = [this](const std::string &key) { press(key); };
    vtkRenderWindow *const window = viewer_.getRenderWindow();
    window->SetOffScreenRendering(shown ? 0 : 1);
    window->SetSize(1280, 720);
    window->SetMultiSamples(0);
    viewer_.createViewPort(0.01, 0.1, 0.435, 0.8, left_);
    viewer_.createViewPort(0.445, 0.1, 0.87, 0.8, right_);
    viewer_.setBackgroundColor(1, 1, 1);
    for (const int pane : {left_, right_})
      viewer_.setBackgroundColor(0.96, 0.96, 0.96, pane);
    add_texts();
    add_legend();
    for (const int pane : {left_, right_})
      viewer_.addPointCloud<pcl::PointXYZRGB>(target_, target_in(pane), pane);
    viewer_.addPointCloud<pcl::PointXYZRGB>(before_, "before", left_);
    viewer_.addPointCloud<pcl::PointXYZRGB>(after_, "after", right_);
    caption_->SetInput(scene_.caption().c_str());
    set_sizes();
    aim();
  }

  void press(const std::string &key) {
    if (key == "t")
      target_shown_ = !target_shown_;
    else if (key == "+")
      size_ = std::min(size_ + 1, 20);
    else if (key == "-")
      size_ = std::max(size_ - 1, 1);
    else if (key == "c")
      aim();
    else if (scene_.press(key))
      recolour();
    set_sizes();
    viewer_.getRenderWindow()->Render();
  }

  void spin() {
    viewer_.spin();
  }

  std::string png() {
    viewer_.getRenderWindow()->Render();
    const auto image = vtkSmartPointer<vtkWindowToImageFilter>::New();
    image->SetInput(viewer_.getRenderWindow());
    image->ReadFrontBufferOff();
    const auto writer = vtkSmartPointer<vtkPNGWriter>::New();
    writer->WriteToMemoryOn();
    writer->SetInputConnection(image->GetOutputPort());
    writer->Write();
    vtkUnsignedCharArray *const bytes = writer->GetResult();
    if (bytes == nullptr)
      throw tool::Error("the window's picture cannot be read back");
    return {reinterpret_cast<const char *>(bytes->GetPointer(0)), static_cast<std::size_t>(bytes->GetNumberOfValues())};
  }

private:
  static std::string target_in(int pane) {
    return "target " + std::to_string(pane);
  }

  void recolour() {
    after_ = to_pcl(scene_.after());
    const pcl::visualization::PointCloudColorHandlerRGBField<pcl::PointXYZRGB> colours(after_);
    viewer_.updatePointCloud<pcl::PointXYZRGB>(after_, colours, "after"); // without colours it would be white
    caption_->SetInput(scene_.caption().c_str());
  }

  /** The source's points are larger, so that the target does not hide what lies on it. */
  void set_sizes() {
    using namespace pcl::visualization;
    const auto set = [this](const std::string &name, RenderingProperties what, double value) {
      viewer_.setPointCloudRenderingProperties(what, value, name);
    };
    set("before", PCL_VISUALIZER_POINT_SIZE, size_);
    set("after", PCL_VISUALIZER_POINT_SIZE, size_);
    for (const int pane : {left_, right_}) {
      set(target_in(pane), PCL_VISUALIZER_POINT_SIZE, std::max(size_ - 1, 1));
      set(target_in(pane), PCL_VISUALIZER_OPACITY, target_shown_ ? 1 : 0);
    }
  }

  vtkRenderer *renderer(int pane) {
    return vtkRenderer::SafeDownCast(viewer_.getRendererCollection()->GetItemAsObject(pane));
  }

  /** One camera for both panes, but if the start is so far away that the result would be small. */
  void aim() {
    const Eigen::Matrix3d axes = scene_.axes();
    const Box target = body_of(*target_, axes);
    const Box before = target.merged(body_of(*before_, axes));
    Box after = target.merged(body_of(*after_, axes));
    constexpr double far = 1.6;
    if (before.sizes().norm() > far * after.sizes().norm()) {
      if (renderer(left_)->GetActiveCamera() == renderer(right_)->GetActiveCamera())
        viewer_.createViewPortCamera(left_);
      point_camera(left_, axes, before);
    } else {
      after.extend(before);
    }
    point_camera(right_, axes, after);
  }

  /** @param box  what to see, along the axes. */
  void point_camera(int pane, const Eigen::Matrix3d &axes, const Box &box) {
    vtkCamera *const camera = renderer(pane)->GetActiveCamera();
    const Eigen::Vector3d middle = axes * box.center();
    const Eigen::Vector3d eye = middle + 2 * box.sizes().norm() * axes.col(2);
    camera->ParallelProjectionOn();
    camera->SetFocalPoint(middle.x(), middle.y(), middle.z());
    camera->SetPosition(eye.x(), eye.y(), eye.z());
    camera->SetViewUp(axes(0, 1), axes(1, 1), axes(2, 1));
    const double width = box.sizes().x() / renderer(pane)->GetTiledAspectRatio();
    camera->SetParallelScale(0.55 * std::max(box.sizes().y(), width)); // half the height, and somewhat more
    renderer(pane)->ResetCameraClippingRange();
  }

  /** @param x, y  of its upper left corner, as shares of the window. */
  vtkTextActor *add_text(const std::string &text, double x, double y, int size, const Colour &colour) {
    const auto actor = vtkSmartPointer<vtkTextActor>::New();
    actor->SetInput(text.c_str());
    actor->GetPositionCoordinate()->SetCoordinateSystemToNormalizedViewport();
    actor->SetPosition(x, y);
    vtkTextProperty *const look = actor->GetTextProperty();
    look->SetFontSize(size);
    look->SetColor(colour.x() / 255, colour.y() / 255, colour.z() / 255);
    look->SetVerticalJustificationToTop();
    look->SetLineSpacing(1.3);
    renderer(0)->AddActor2D(actor);
    return actor;
  }

  void add_texts() {
    add_text(scene_.title(), 0.015, 0.975, 24, scene_.title_colour())->GetTextProperty()->BoldOn();
    add_text(scene_.subtitle() + "; grey: the target", 0.015, 0.92, 15, ink);
    const Colour orange = 0.8 * tool::source_colour;
    add_text("before", 0.015, 0.87, 18, orange)->GetTextProperty()->BoldOn();
    add_text("the source where it starts", 0.015, 0.835, 14, orange);
    add_text("after", 0.445, 0.87, 18, ink)->GetTextProperty()->BoldOn();
    caption_ = add_text("", 0.5, 0.867, 14, ink);
    add_text(scene_.keys(), 0.015, 0.06, 13, ink);
  }

  void add_legend() {
    constexpr int bands = 96;
    const auto points = vtkSmartPointer<vtkPoints>::New();
    const auto cells = vtkSmartPointer<vtkCellArray>::New();
    const auto colours = vtkSmartPointer<vtkUnsignedCharArray>::New();
    colours->SetNumberOfComponents(3);
    for (int k = 0; k <= bands; ++k) {
      const double height = bar_bottom + (bar_top - bar_bottom) * k / bands;
      points->InsertNextPoint(bar_left, height, 0);
      points->InsertNextPoint(bar_right, height, 0);
      if (k == bands)
        break;
      const vtkIdType corners[] = {2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2};
      cells->InsertNextCell(4, corners);
      const Colour colour = tool::DistanceScale::colour_at((k + 0.5) / bands);
      colours->InsertNextTuple3(colour.x(), colour.y(), colour.z());
    }
    const auto bar = vtkSmartPointer<vtkPolyData>::New();
    bar->SetPoints(points);
    bar->SetPolys(cells);
    bar->GetCellData()->SetScalars(colours);
    const auto place = vtkSmartPointer<vtkCoordinate>::New();
    place->SetCoordinateSystemToNormalizedViewport();
    const auto mapper = vtkSmartPointer<vtkPolyDataMapper2D>::New();
    mapper->SetInputData(bar);
    mapper->SetTransformCoordinate(place);
    const auto actor = vtkSmartPointer<vtkActor2D>::New();
    actor->SetMapper(mapper);
    renderer(0)->AddActor2D(actor);
    label_legend();
  }

  void label_legend() {
    add_text("distance to the\ntarget, in the\nclouds' unit", 0.885, 0.87, 14, ink);
    for (int k = 0; k <= 3; ++k) {
      const double level = k / tool::DistanceScale::decades;
      const std::string number = tool::rounded(scene_.scale().at(level), 3);
      const char *const meaning[] = {" or less:\n  on the target", "\n  (the spacing)", "",
                                     " or more:\n  off the target"};
      const std::string words = "- " + number + meaning[k];
      add_text(words, bar_right + 0.003, bar_bottom + (bar_top - bar_bottom) * level + 0.012, 13, ink);
    }
  }

  Scene &scene_;
  Cloud::Ptr target_;
  Cloud::Ptr before_;
  Cloud::Ptr after_;
  int size_; /**< of the source's points, in pixels */
  bool target_shown_ = true;
  int words_ = 0; /**< that the viewer should read: none */
  vtkSmartPointer<Style> style_ = vtkSmartPointer<Style>::New();
  pcl::visualization::PCLVisualizer viewer_;
  vtkTextActor *caption_ = nullptr; /**< the renderer's */
  int left_ = 0;
  int right_ = 0;
};

} // namespace

void show(Scene &scene) {
  Window(scene, true).spin();
}

void write_screenshot(Scene &scene, const std::string &keys, const std::string &path) {
  tool::OutputFile file(path);
  for (const char key : keys)
    scene.press(std::string(1, key));
  Window window(scene, false);
  file.write(window.png());
  file.close();
  file.commit();
}

} // namespace fricp::view
