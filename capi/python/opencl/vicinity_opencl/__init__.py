"""Vicinity's OpenCL driver. pyopencl from PyPI finds it by itself; `python -m vicinity_opencl PROGRAM` is for other programs."""

import os

__all__ = ["DRIVER", "environment"]

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libvicinity_cl.so")


def environment(variables=None):
    """The variables of a process that is to have this driver as its only one, made from these (default: this process's own)."""
    made = dict(os.environ if variables is None else variables)
    made["OCL_ICD_VENDORS"] = DRIVER  # ocl-icd, which takes the name of a library, too
    made["OCL_ICD_FILENAMES"] = DRIVER  # the loader of Khronos
    return made
