; One call with a vector of three, a text and a double, one without arguments.
@format = private constant [12 x i8] c"%v3hd %s %f\00"
@text = private constant [3 x i8] c"hi\00"
@bare = private constant [4 x i8] c"end\00"

declare i32 @printf(ptr, ...)

define void @kernel(<3 x i16> %v, double %d) {
  %first = call i32 (ptr, ...) @printf(ptr @format, <3 x i16> %v, ptr @text, double %d)
  %second = call i32 (ptr, ...) @printf(ptr @bare)
  ret void
}
