#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Register two generated scans from Python.

register_pair.py [path of libfricp.so]
"""
import sys

import numpy as np

import fricp


def ground(rng, count, left, noise):
    """Hilly ground over [left, left + 1] x [0, 1] with noise and 5 % of outliers above it."""
    x, y = left + rng.random(count), rng.random(count)
    z = 0.12 * np.sin(4.1 * x + 0.7) * np.cos(3.3 * y) + 0.07 * np.sin(7.3 * y + 2.9 * x) + 0.04 * np.cos(11 * x - 5 * y)
    z += noise * rng.uniform(-1, 1, count) + np.where(rng.random(count) < 0.05, rng.random(count), 0)
    return np.column_stack([x, y, z])


def pose_about(axis, degrees, shift):
    """4 x 4, by Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    pose = np.eye(4)
    pose[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    pose[:3, 3] = shift
    return pose


def apart(found, truth, place):
    """Degrees between two poses, and how far apart they put a place."""
    turn = found[:3, :3].T @ truth[:3, :3]
    degrees = np.degrees(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1)))
    return degrees, np.linalg.norm((found - truth)[:3] @ np.append(place, 1))


def main():
    library = fricp.Library(sys.argv[1] if len(sys.argv) > 1 else None)
    rng = np.random.default_rng(1)
    truth = pose_about([0.2, -0.3, 1], 12, [0.08, -0.05, 0.04])
    target = ground(rng, 6000, 0.0, 0.002).astype(np.float32)
    back = np.linalg.inv(truth)
    source = ground(rng, 6000, 0.3, 0.002) @ back[:3, :3].T + back[:3, 3]

    result = library.register(source, target)
    degrees, distance = apart(result.pose, truth, [0.8, 0.5, 0])
    print(f"fricp {library.version()}: {fricp.VERDICTS[result.verdict]}, {100 * result.inlier_share:.0f} % overlap")
    print(np.array_str(result.pose, precision=6, suppress_small=True))
    print(f"off the truth: {degrees:.4f} degrees, {distance:.5f}")
    # A fifth of the points' spacing, 0.013, as in 01_two_clouds.c.
    good = result.verdict == fricp.VERDICTS.index("reliable") and degrees < 0.3 and distance < 0.003

    # Rows with more than coordinates are looked at in place; a start is a 4 x 4; the information is symmetric.
    rows = np.column_stack([source, np.arange(len(source))])
    again = library.register(rows[:, :3], target, guess=result.pose, method="robust-icp-plane", threads=1)
    good = good and apart(again.pose, truth, [0.8, 0.5, 0])[1] < 0.003
    good = good and np.allclose(again.information_matrix, again.information_matrix.T)

    try:
        library.register(source[:2], target)
        good = False
    except fricp.RegistrationError as error:
        print(f"two points are too few: {error}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
