/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file scene.h
 * Generated pairs of clouds and scan sequences whose true pose is known exactly. The same spec gives the same scene on
 * every machine (up to the rounding of sin and cos). All in O(n).
 *
 *   scene_spec spec = {.kind = SCENE_BLOB, .source_count = 5000, .overlap = 0.7, .noise = 0.001, .angle = 20};
 *   scene s;
 *   const char *problem = scene_make(&spec, &s);    // NULL: made
 *   ... fricp_cloud from s.source, s.source_count ...; compare with s.target_from_source by verify.h ...
 *   scene_free(&s);
 */
#ifndef FRICP_SUPPORT_SCENE_H
#define FRICP_SUPPORT_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the clouds are samples of. Lengths are those before spec.scale. */
typedef enum scene_kind {
  SCENE_BLOB = 0, /**< closed surface without symmetry, radius 1 modulated by harmonics */
  SCENE_TORUS,    /**< closed bumpy ring, radii 1 and 0.35 */
  SCENE_ROOM,     /**< floor, ceiling, walls of about 6 x 4.5 x 2.6 with boxes as furniture */
  SCENE_CORRIDOR, /**< 20 x 2 x 2.5, open ends, featureless: motion along x is not determined by the planes */
  SCENE_FLOOR,    /**< one flat square of 10 x 10 at z = 0: three motions are not determined by the plane */
  SCENE_LIDAR,    /**< two ray-cast scans in a hall of 20 x 14 x 5 with boxes; each cloud in its sensor's frame */
  SCENE_OUTLINE,  /**< 2-D (z = 0): closed curve without symmetry, radius 1 modulated by harmonics */
  SCENE_LASER     /**< 2-D (z = 0): two full turns of a laser scanner in the hall; each in its sensor's frame */
} scene_kind;

/** How to make a pair. All zero is valid: two independent samples of 2000 points of a whole blob, identity pose. */
typedef struct scene_spec {
  scene_kind kind;
  size_t source_count; /**< points of the source, outliers included; 0: 2000 */
  size_t target_count; /**< 0: as source_count */
  uint64_t seed;       /**< shape and samples follow from it */
  double overlap;      /**< share of the source's surface points that lie on surface which the target shows too, in
                            (0, 1]; 0: 1. Below 1, each cloud of a closed shape is the half that faces one of two
                            viewing directions (no occlusion), and of a room, corridor or floor one end of it. Scans
                            ignore it: their overlap follows from the motion */
  double noise;        /**< standard deviation of the coordinates (scans: of the range), as a share of the diameter */
  double outliers;     /**< share of each cloud that is uniform in a box 1.2 times as large as the shape, in [0, 1) */
  int same_sample;     /**< 1: both clouds show the same surface points (clean clouds); with overlap 1, equal counts and
                            no outliers source i corresponds to target i. 0: two independent samples. Scans ignore it */
  double angle;        /**< true rotation in degrees, about the scene's centre (scans: the target's sensor) */
  double axis[3];      /**< of the rotation, any length; all 0: (0.36, -0.48, 0.8), for scans z. 2-D: always z */
  double shift[3];     /**< true translation, as shares of the diameter, after the rotation; 2-D: z is ignored */
  double scale;        /**< unit: every coordinate is multiplied by it; 0: 1 */
  double offset[3];    /**< then added to every coordinate of both clouds: an origin far away. 2-D: z is ignored */
  int rings;           /**< SCENE_LIDAR: beams on so many rings as of a spinning lidar; 0: beams in random directions */
} scene_spec;

/** A pair. Owns its arrays; 3 doubles a point. */
typedef struct scene {
  size_t source_count, target_count;
  double *source, *target;
  double *source_normals, *target_normals;  /**< exact unit normals of the surface (noise does not turn them); of
                                                 outliers random */
  uint8_t *source_outlier, *target_outlier; /**< 1 for an outlier */
  fricp_pose target_from_source;            /**< the truth */
  double diameter;                          /**< diagonal of the whole shape's bounding box, in the clouds' unit */
  double overlap_source; /**< share of the source's surface points on surface that the target shows too, estimated from
                              thousands of samples (scans: seen by the target's sensor) */
  int dimension;         /**< 2 or 3 */
} scene;

/** @return NULL and fills *out, to be given to scene_free(); or what is wrong, and *out is all zero. */
const char *scene_make(const scene_spec *given, scene *out);

/** Free what scene_make() allocated; an all-zero scene is allowed. */
void scene_free(scene *s);

/** Look a kind up by its lower-case name ("blob", "lidar", ...). @return 0, or -1 if there is none. */
int scene_kind_from_name(const char *name, scene_kind *kind);
/** @return the name, or NULL for a number that is none: count up from 0 to list them. */
const char *scene_kind_name(int kind);

/** A view of the source or target, points only; `normals` may be NULL. */
fricp_cloud scene_view(const double *points, size_t count, const double *normals, int dimension);

/** A sensor driving a closed loop through the hall of SCENE_LIDAR. */
typedef struct sequence_spec {
  size_t scans;     /**< 0: 12. The last scan is one step before the first, as on a loop */
  size_t points;    /**< a scan; 0: 4000 */
  uint64_t seed;    /**< of hall and beams */
  double noise;     /**< standard deviation of the range, in the hall's unit (a metre) */
  double loop_part; /**< share of the loop to drive, in (0, 1]; 0: 1. Smaller: smaller steps */
  int dimension;    /**< 2 or 3; 0: 3 */
  int rings;        /**< 3-D: as in scene_spec */
} sequence_spec;

/** Owns its arrays. */
typedef struct sequence {
  size_t scans, points;        /**< every scan has the same number of points */
  double **scan;               /**< scan[k]: 3 doubles a point, in the sensor's frame */
  fricp_pose *world_from_scan; /**< the true poses */
  double diameter;             /**< of the hall */
  int dimension;
} sequence;

/** As scene_make(). */
const char *sequence_make(const sequence_spec *spec, sequence *out);
void sequence_free(sequence *s);

#ifdef __cplusplus
}
#endif

#endif
