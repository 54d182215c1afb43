"""The operations of OpenCV that opencv.py measures, and the images that they are called with."""

HEIGHT, WIDTH = 1080, 1920


class Images:
    """What operations work on, made when it is asked for: `gray`, `color` (8 bits), `real`, `reals` (float, one and three channels)."""

    def __init__(self):
        import cv2, numpy
        self.cv2, self.numpy, self.random = cv2, numpy, numpy.random.default_rng(1)

    def array(self, channels):
        """A picture of smooth areas, edges and noise, in [0, 255]."""
        shape = (HEIGHT, WIDTH, channels) if channels > 1 else (HEIGHT, WIDTH)
        y, x = self.numpy.mgrid[0:HEIGHT, 0:WIDTH].astype("float32")
        wave = 60 * self.numpy.sin(x / 37) * self.numpy.cos(y / 53) + 50 * ((x // 160 + y // 120) % 2) + 80
        noise = self.random.normal(0, 8, shape).astype("float32")
        return self.numpy.clip(noise + (wave[..., None] if channels > 1 else wave), 0, 255)

    def make(self, name):
        if name in ("gray", "gray2"):
            return self.array(1).astype("uint8")
        if name in ("color", "color2"):
            return self.array(3).astype("uint8")
        if name == "rgba":
            return self.array(4).astype("uint8")
        if name in ("real", "real2"):
            return self.array(1) / 64 + 0.1
        if name == "reals":
            return self.array(3) / 255
        if name == "mask":
            return self.numpy.where(self.array(1) > 100, 255, 0).astype("uint8")
        if name in ("square", "square2"):
            return self.random.random((768, 768), dtype="float32")
        if name == "complex":
            return self.random.random((1024, 1024, 2), dtype="float32")
        if name in ("mapx", "mapy"):
            y, x = self.numpy.mgrid[0:HEIGHT, 0:WIDTH].astype("float32")
            return x + 5 * self.numpy.sin(y / 20) if name == "mapx" else y + 5 * self.numpy.cos(x / 20)
        if name == "small":
            return self.cv2.resize(self.array(1).astype("uint8"), (640, 360))
        if name == "small2":
            return self.numpy.roll(self.make("small"), 2, axis=1)
        if name == "part":
            return self.make("small")[100:124, 200:232].copy()
        raise AttributeError(name)

    def __getattr__(self, name):
        image = self.cv2.UMat(self.make(name))
        setattr(self, name, image)
        return image


def points(i):
    y, x = i.numpy.mgrid[20:340:16, 20:620:16]
    return i.cv2.UMat(i.numpy.stack([x.ravel(), y.ravel()], axis=1).astype("float32").reshape(-1, 1, 2))


def subtractor(i, kind):
    """One for all calls, as for the frames of a film."""
    if kind not in vars(i):
        setattr(i, kind, getattr(i.cv2, "createBackgroundSubtractor" + kind)())
    return getattr(i, kind)


def places(i, found):
    return i.numpy.array(sorted(it.pt for it in found))


def turn(i):
    return i.cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 12, 0.9)


def tilt(i):
    return i.numpy.array([[0.9, 0.1, 30], [-0.08, 0.95, 40], [1e-5, 2e-5, 1]])


def box(i, size):
    return i.cv2.getStructuringElement(i.cv2.MORPH_RECT, (size, size))


def kernel(i, size):
    return i.numpy.outer(i.numpy.arange(1, size + 1), i.numpy.arange(size, 0, -1)).astype("float32") / size**3


OPERATIONS = {
    "add": lambda c, i: c.add(i.gray, i.gray2),
    "add float": lambda c, i: c.add(i.real, i.real2),
    "subtract mask": lambda c, i: c.subtract(i.gray, i.gray2, mask=i.mask),
    "multiply": lambda c, i: c.multiply(i.gray, i.gray2, scale=0.01),
    "divide float": lambda c, i: c.divide(i.real, i.real2),
    "absdiff": lambda c, i: c.absdiff(i.color, i.color2),
    "addWeighted": lambda c, i: c.addWeighted(i.color, 0.3, i.color2, 0.7, 1),
    "scaleAdd": lambda c, i: c.scaleAdd(i.real, 1.5, i.real2),
    "convertScaleAbs": lambda c, i: c.convertScaleAbs(i.real, alpha=20, beta=3),
    "compare": lambda c, i: c.compare(i.gray, i.gray2, c.CMP_GT),
    "bitwise_and": lambda c, i: c.bitwise_and(i.gray, i.gray2),
    "bitwise_not": lambda c, i: c.bitwise_not(i.color),
    "min": lambda c, i: c.min(i.gray, i.gray2),
    "max float": lambda c, i: c.max(i.real, i.real2),
    "meanStdDev": lambda c, i: c.meanStdDev(i.gray),
    "minMaxLoc": lambda c, i: c.minMaxLoc(i.gray),
    "norm L1": lambda c, i: c.norm(i.real, c.NORM_L1),
    "norm mask": lambda c, i: c.norm(i.gray, i.gray2, c.NORM_L2, i.mask),
    "sumElems": lambda c, i: c.sumElems(i.color),
    "countNonZero": lambda c, i: c.countNonZero(i.mask),
    "normalize": lambda c, i: c.normalize(i.real, None, 0, 1, c.NORM_MINMAX),
    "reduce rows": lambda c, i: c.reduce(i.gray, 0, c.REDUCE_SUM, dtype=c.CV_32S),
    "reduce columns": lambda c, i: c.reduce(i.real, 1, c.REDUCE_AVG, dtype=c.CV_32F),
    "threshold": lambda c, i: c.threshold(i.gray, 100, 255, c.THRESH_BINARY),
    "adaptiveThreshold": lambda c, i: c.adaptiveThreshold(i.gray, 255, c.ADAPTIVE_THRESH_MEAN_C, c.THRESH_BINARY, 11, 2),
    "inRange": lambda c, i: c.inRange(i.color, (50, 60, 70, 0), (150, 160, 170, 0)),
    "BGR to gray": lambda c, i: c.cvtColor(i.color, c.COLOR_BGR2GRAY),
    "BGR to HSV": lambda c, i: c.cvtColor(i.color, c.COLOR_BGR2HSV),
    "BGR to Lab": lambda c, i: c.cvtColor(i.color, c.COLOR_BGR2Lab),
    "BGR to YUV": lambda c, i: c.cvtColor(i.color, c.COLOR_BGR2YUV),
    "BGR to Luv float": lambda c, i: c.cvtColor(i.reals, c.COLOR_BGR2Luv),
    "gray to BGR": lambda c, i: c.cvtColor(i.gray, c.COLOR_GRAY2BGR),
    "NV12 to BGR": lambda c, i: c.cvtColor(i.gray, c.COLOR_YUV2BGR_NV12),
    "resize nearest": lambda c, i: c.resize(i.color, (1280, 720), interpolation=c.INTER_NEAREST),
    "resize linear": lambda c, i: c.resize(i.color, (1280, 720)),
    "resize area": lambda c, i: c.resize(i.gray, (960, 540), interpolation=c.INTER_AREA),
    "resize cubic": lambda c, i: c.resize(i.gray, (2400, 1350), interpolation=c.INTER_CUBIC),
    "warpAffine": lambda c, i: c.warpAffine(i.gray, turn(i), (WIDTH, HEIGHT)),
    "warpAffine cubic": lambda c, i: c.warpAffine(i.color, turn(i), (WIDTH, HEIGHT), flags=c.INTER_CUBIC),
    "warpPerspective": lambda c, i: c.warpPerspective(i.color, tilt(i), (WIDTH, HEIGHT)),
    "remap": lambda c, i: c.remap(i.gray, i.mapx, i.mapy, c.INTER_LINEAR),
    "remap nearest": lambda c, i: c.remap(i.real, i.mapx, i.mapy, c.INTER_NEAREST),
    "blur": lambda c, i: c.blur(i.gray, (7, 7)),
    "blur float": lambda c, i: c.blur(i.real, (3, 3)),
    "GaussianBlur": lambda c, i: c.GaussianBlur(i.gray, (5, 5), 1.2),
    "GaussianBlur float": lambda c, i: c.GaussianBlur(i.reals, (11, 11), 2),
    "medianBlur 3": lambda c, i: c.medianBlur(i.gray, 3),
    "medianBlur 5": lambda c, i: c.medianBlur(i.gray, 5),
    "bilateralFilter": lambda c, i: c.bilateralFilter(i.gray, 7, 40, 40),
    "Sobel": lambda c, i: c.Sobel(i.gray, c.CV_16S, 1, 0),
    "Scharr float": lambda c, i: c.Scharr(i.real, c.CV_32F, 0, 1),
    "Laplacian": lambda c, i: c.Laplacian(i.gray, c.CV_16S, ksize=3),
    "erode": lambda c, i: c.erode(i.gray, box(i, 3)),
    "dilate": lambda c, i: c.dilate(i.color, box(i, 7)),
    "morphologyEx": lambda c, i: c.morphologyEx(i.gray, c.MORPH_GRADIENT, box(i, 5)),
    "filter2D": lambda c, i: c.filter2D(i.gray, -1, kernel(i, 5)),
    "filter2D float": lambda c, i: c.filter2D(i.real, -1, kernel(i, 9)),
    "sepFilter2D": lambda c, i: c.sepFilter2D(i.gray, c.CV_32F, kernel(i, 7)[0], kernel(i, 7)[0]),
    "pyrDown": lambda c, i: c.pyrDown(i.color),
    "pyrUp": lambda c, i: c.pyrUp(i.small),
    "Canny": lambda c, i: c.Canny(i.gray, 50, 120),
    "cornerHarris": lambda c, i: c.cornerHarris(i.gray, 3, 3, 0.04),
    "goodFeaturesToTrack": lambda c, i: c.goodFeaturesToTrack(i.gray, 200, 0.01, 10),
    "integral": lambda c, i: c.integral(i.gray),
    "calcHist": lambda c, i: c.calcHist([i.gray], [0], None, [256], [0, 256]),
    "calcBackProject": lambda c, i: c.calcBackProject([i.gray], [0], c.calcHist([i.gray], [0], None, [64], [0, 256]), [0, 256], 1),
    "equalizeHist": lambda c, i: c.equalizeHist(i.gray),
    "CLAHE": lambda c, i: c.createCLAHE(3, (8, 8)).apply(i.gray),
    "matchTemplate": lambda c, i: c.matchTemplate(i.small, i.part, c.TM_CCOEFF_NORMED),
    "matchTemplate SQDIFF": lambda c, i: c.matchTemplate(i.small, i.part, c.TM_SQDIFF),
    "gemm": lambda c, i: c.gemm(i.square, i.square2, 1, None, 0),
    "transpose": lambda c, i: c.transpose(i.gray),
    "flip": lambda c, i: c.flip(i.color, 1),
    "rotate": lambda c, i: c.rotate(i.gray, c.ROTATE_180),
    "merge": lambda c, i: c.merge([i.gray, i.gray2, i.mask]),
    "split": lambda c, i: c.split(i.color),
    "extractChannel": lambda c, i: c.extractChannel(i.color, 1),
    "copyMakeBorder": lambda c, i: c.copyMakeBorder(i.gray, 16, 16, 16, 16, c.BORDER_REFLECT_101),
    "repeat": lambda c, i: c.repeat(i.small, 2, 3),
    "transform": lambda c, i: c.transform(i.reals, kernel(i, 3)),
    "LUT": lambda c, i: c.LUT(i.color, i.numpy.arange(255, -1, -1).astype("uint8")),
    "exp": lambda c, i: c.exp(i.real),
    "log": lambda c, i: c.log(i.real),
    "sqrt": lambda c, i: c.sqrt(i.real),
    "pow": lambda c, i: c.pow(i.real, 2.3),
    "pow 3": lambda c, i: c.pow(i.real, 3),
    "phase": lambda c, i: c.phase(i.real, i.real2),
    "magnitude": lambda c, i: c.magnitude(i.real, i.real2),
    "cartToPolar": lambda c, i: c.cartToPolar(i.real, i.real2),
    "polarToCart": lambda c, i: c.polarToCart(i.real, i.real2),
    "dft": lambda c, i: c.dft(i.complex),
    "mulSpectrums": lambda c, i: c.mulSpectrums(i.complex, i.complex, 0),
    "accumulateWeighted": lambda c, i: c.accumulateWeighted(i.gray, c.UMat(i.numpy.zeros((HEIGHT, WIDTH), "float32")), 0.1),
    "blendLinear": lambda c, i: c.blendLinear(i.color, i.color2, i.real, i.real2),
    "undistort": lambda c, i: c.undistort(i.gray, i.numpy.diag([900.0, 900, 1]), i.numpy.array([0.1, -0.05, 0, 0])),
    "calcOpticalFlowFarneback": lambda c, i: c.calcOpticalFlowFarneback(i.small, i.small2, None, 0.5, 3, 15, 3, 5, 1.2, 0),
    "calcOpticalFlowPyrLK": lambda c, i: c.calcOpticalFlowPyrLK(i.small, i.small2, points(i), None),
    "fastNlMeansDenoising": lambda c, i: c.fastNlMeansDenoising(i.small, None, 10, 5, 11),
    "BackgroundSubtractorMOG2": lambda c, i: subtractor(i, "MOG2").apply(i.color),
    "BackgroundSubtractorKNN": lambda c, i: subtractor(i, "KNN").apply(i.color),
    "FAST": lambda c, i: places(i, c.FastFeatureDetector_create(20).detect(i.gray)),
    "ORB": lambda c, i: c.ORB_create(500).detectAndCompute(i.gray, None)[1],
    "HoughLines": lambda c, i: c.HoughLines(i.mask, 2, 0.05, 400),
    "distanceTransform": lambda c, i: c.distanceTransform(i.mask, c.DIST_L2, 3),
    "moments": lambda c, i: list(c.moments(i.gray).values()),
}
