// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file window.hpp
 * The scene in PCL's viewer. All that includes VTK is behind this.
 */
#ifndef FRICP_VIEW_WINDOW_HPP
#define FRICP_VIEW_WINDOW_HPP

#include "scene.hpp"

#include <string>

namespace fricp::view {

/** @return why no window can be opened here, asked before VTK would end the program; "": one can. */
std::string display_problem();

/** Shows the scene until its window is closed. */
void show(Scene &scene);

/** Writes the picture that the window would begin with. Throws an Error. @param keys  pressed before, one a letter. */
void write_screenshot(Scene &scene, const std::string &keys, const std::string &path);

} // namespace fricp::view

#endif
