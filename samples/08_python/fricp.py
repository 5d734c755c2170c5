# SPDX-License-Identifier: BSD-3-Clause
"""fricp from Python, by its C interface: ctypes and numpy, nothing to compile.

Only what the sample needs is declared. A struct may stop after the fields that are used: struct_size says how long it
is, and the library takes the rest for zero. For another language it is the same: sizes, offsets and values of
include/fricp/fricp.h never change.
"""
import ctypes as c
import ctypes.util

import numpy as np

OK = 0
VERDICTS = ("none", "reliable", "ambiguous", "partial", "poor")


class Pose(c.Structure):
    _fields_ = [("rotation", c.c_double * 3 * 3), ("translation", c.c_double * 3)]

    @classmethod
    def from_matrix(cls, matrix):
        matrix = np.asarray(matrix, dtype=np.float64)
        pose = cls()
        for row in range(3):
            pose.rotation[row][:] = matrix[row, :3]
        pose.translation[:] = matrix[:3, 3]
        return pose

    def matrix(self):
        matrix = np.eye(4)
        matrix[:3, :3] = np.ctypeslib.as_array(self.rotation)
        matrix[:3, 3] = np.ctypeslib.as_array(self.translation)
        return matrix


class Cloud(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("points", c.c_void_p),
        ("count", c.c_size_t),
        ("stride", c.c_size_t),
        ("scalar_type", c.c_int32),
        ("dimension", c.c_int32),
    ]

    @classmethod
    def view(cls, points):
        """A view of an array of n rows of 3 (or 2) floats or doubles. Nothing is copied: keep the array until the call
        is done. Rows may be longer or lie apart, as in points[::2] or records[:, :3]."""
        if points.ndim != 2 or points.shape[1] not in (2, 3) or points.dtype not in (np.float32, np.float64):
            raise TypeError("points must be n x 3 or n x 2, of float32 or float64")
        if points.strides[1] != points.itemsize or points.strides[0] < points.shape[1] * points.itemsize:
            points = np.ascontiguousarray(points)
        cloud = cls(struct_size=c.sizeof(cls), points=points.ctypes.data, count=len(points), stride=points.strides[0])
        cloud.scalar_type = 1 if points.dtype == np.float32 else 0
        cloud.dimension = points.shape[1]
        cloud.keep = points
        return cloud


class Options(c.Structure):
    _fields_ = (
        [("struct_size", c.c_size_t)]
        + [(name, c.c_int32) for name in ("method", "start", "max_iterations", "anderson_history")]
        + [
            (name, c.c_double)
            for name in (
                "max_distance",
                "nu_start_factor",
                "nu_end_factor",
                "translation_epsilon",
                "rotation_epsilon",
                "fitness_epsilon",
                "inlier_distance",
                "time_limit",
            )
        ]
        + [(name, c.c_int32) for name in ("full_resolution", "reciprocal", "threads", "starts")]
    )


class Result(c.Structure):
    _fields_ = (
        [("struct_size", c.c_size_t), ("target_from_source", Pose), ("last_step", Pose)]
        + [
            (name, c.c_int32)
            for name in (
                "stop_reason",
                "converged",
                "levels",
                "iterations",
                "correspondence_passes",
                "accelerated",
                "rejected",
                "threads",
                "undetermined",
                "verdict",
            )
        ]
        + [("undetermined_directions", c.c_double * 6 * 6)]
        + [(name, c.c_double) for name in ("energy", "nu_start", "nu_end")]
        + [
            (name, c.c_size_t)
            for name in ("points_source", "points_target", "skipped_source", "skipped_target", "inliers")
        ]
        + [(name, c.c_double) for name in ("inlier_share", "inlier_rms", "inlier_distance")]
        + [("information_center", c.c_double * 3), ("information", c.c_double * 6 * 6)]
    )

    @property
    def pose(self):
        return self.target_from_source.matrix()

    @property
    def information_matrix(self):
        return np.array(self.information)


class Error(c.Structure):
    _fields_ = [("status", c.c_int32), ("text", c.c_char * 252)]


class RegistrationError(RuntimeError):
    pass


class Library:
    def __init__(self, path=None):
        path = path or ctypes.util.find_library("fricp")
        if not path:
            raise OSError("libfricp was not found: give its path")
        self._library = c.CDLL(path)
        self._register = self._library.fricp_register
        self._register.restype = c.c_int
        self._register.argtypes = [c.POINTER(Cloud), c.POINTER(Cloud), c.POINTER(Pose)]
        self._register.argtypes += [c.POINTER(Options), c.POINTER(Result), c.POINTER(Error)]
        self._method_from_name = self._library.fricp_method_from_name
        self._method_from_name.argtypes = [c.c_char_p, c.POINTER(c.c_int32)]
        self._library.fricp_version.restype = c.c_char_p

    def version(self):
        return self._library.fricp_version().decode()

    def register(self, source, target, guess=None, method="auto", **settings):
        """Lay source on target. guess: 4 x 4. settings: fields of Options. Raises RegistrationError."""
        options = Options(struct_size=c.sizeof(Options), **settings)
        number = c.c_int32()
        if self._method_from_name(method.encode(), c.byref(number)) != OK:
            raise ValueError(f"no method {method!r}")
        options.method = number.value
        views = Cloud.view(source), Cloud.view(target)
        start = None if guess is None else c.byref(Pose.from_matrix(guess))
        result, error = Result(struct_size=c.sizeof(Result)), Error()
        status = self._register(c.byref(views[0]), c.byref(views[1]), start, c.byref(options), c.byref(result), c.byref(error))
        if status != OK:
            raise RegistrationError(error.text.decode())
        return result
