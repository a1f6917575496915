/* Functions of math.h that libraries compute differently in the last places. `__library_sin` and its like give any number near the true value: that of
   the system's library where the program is run, and where it is proved correct any that differs by a few units in the last place if the arguments
   are known, any number at all otherwise. What is said here holds for all of them: values that the standard gives (C11 annex F), signs, and ranges.
   REAL and SUFFIX are `double` and nothing, then `float` and `f`. */

static int __library_finiteSUFFIX(REAL x) {
  return x - x == 0;
}

/* A result with the sign of `x`, at most `limit` away from zero. */
static REAL __library_signedSUFFIX(REAL result, REAL x, REAL limit) {
  if (x > 0) {
    __CPROVER_assume(result >= 0 && result <= limit);
  } else {
    __CPROVER_assume(result <= 0 && result >= -limit);
  }
  return result;
}

static REAL __library_betweenSUFFIX(REAL result, REAL least, REAL most) {
  __CPROVER_assume(result >= least && result <= most);
  return result;
}

REAL sinSUFFIX(REAL x) {
  if (x == 0 || !__library_finiteSUFFIX(x))
    return x == 0 ? x : x - x;
  return __library_betweenSUFFIX(__library_sinSUFFIX(x), -1, 1);
}

REAL cosSUFFIX(REAL x) {
  if (x == 0 || !__library_finiteSUFFIX(x))
    return x == 0 ? 1 : x - x;
  return __library_betweenSUFFIX(__library_cosSUFFIX(x), -1, 1);
}

REAL tanSUFFIX(REAL x) {
  if (x == 0 || !__library_finiteSUFFIX(x))
    return x == 0 ? x : x - x;
  return __library_betweenSUFFIX(__library_tanSUFFIX(x), -1e38f, 1e38f);
}

REAL asinSUFFIX(REAL x) {
  if (!(x >= -1 && x <= 1))
    return x != x ? x : (x - x) / (x - x);
  if (x == 0)
    return x;
  return __library_signedSUFFIX(__library_asinSUFFIX(x), x, 1.570797f);
}

REAL acosSUFFIX(REAL x) {
  if (!(x >= -1 && x <= 1))
    return x != x ? x : (x - x) / (x - x);
  if (x == 1)
    return 0;
  return __library_betweenSUFFIX(__library_acosSUFFIX(x), 0, 3.141594f);
}

REAL atanSUFFIX(REAL x) {
  if (x != x || x == 0)
    return x;
  return __library_signedSUFFIX(__library_atanSUFFIX(x), x, 1.570797f);
}

REAL atan2SUFFIX(REAL y, REAL x) {
  REAL result;
  if (x != x || y != y)
    return x + y;
  if (y == 0 && (x > 0 || (x == 0 && !__builtin_signbit(x))))
    return y;
  result = __library_atan2SUFFIX(y, x);
  if (__builtin_signbit(y)) {
    __CPROVER_assume(result <= 0 && result >= -3.141594f);
  } else {
    __CPROVER_assume(result >= 0 && result <= 3.141594f);
  }
  return result;
}

REAL sinhSUFFIX(REAL x) {
  if (x == 0 || !__library_finiteSUFFIX(x))
    return x;
  return __library_signedSUFFIX(__library_sinhSUFFIX(x), x, __builtin_infSUFFIX());
}

REAL coshSUFFIX(REAL x) {
  if (x == 0)
    return 1;
  if (!__library_finiteSUFFIX(x))
    return x * x;
  return __library_betweenSUFFIX(__library_coshSUFFIX(x), 1, __builtin_infSUFFIX());
}

REAL tanhSUFFIX(REAL x) {
  if (x == 0 || x != x)
    return x;
  if (!__library_finiteSUFFIX(x))
    return x > 0 ? 1 : -1;
  return __library_signedSUFFIX(__library_tanhSUFFIX(x), x, 1);
}

REAL asinhSUFFIX(REAL x) {
  if (x == 0 || !__library_finiteSUFFIX(x))
    return x;
  return __library_signedSUFFIX(__library_asinhSUFFIX(x), x, 711);
}

REAL acoshSUFFIX(REAL x) {
  if (!(x >= 1))
    return x != x ? x : (x - x) / (x - x);
  if (x == 1)
    return 0;
  if (!__library_finiteSUFFIX(x))
    return x;
  return __library_betweenSUFFIX(__library_acoshSUFFIX(x), 0, 711);
}

REAL atanhSUFFIX(REAL x) {
  if (x == 0 || x != x)
    return x;
  if (!(x >= -1 && x <= 1))
    return (x - x) / (x - x);
  if (x == 1 || x == -1)
    return x > 0 ? __builtin_infSUFFIX() : -__builtin_infSUFFIX();
  return __library_signedSUFFIX(__library_atanhSUFFIX(x), x, 40);
}

/* `finite`: arguments up to which the result does not overflow. */
static REAL __library_powerSUFFIX(REAL result, REAL x, REAL finite) {
  if (x < 0) {
    __CPROVER_assume(result >= 0 && result <= 1);
  } else {
    __CPROVER_assume(result >= 1);
    if (x <= finite) {
      __CPROVER_assume(result < __builtin_infSUFFIX());
    }
  }
  return result;
}

REAL expSUFFIX(REAL x) {
  if (x == 0)
    return 1;
  if (!__library_finiteSUFFIX(x))
    return x < 0 ? 0 : x;
  return __library_powerSUFFIX(__library_expSUFFIX(x), x, LIMIT_E);
}

REAL exp2SUFFIX(REAL x) {
  if (x == 0)
    return 1;
  if (!__library_finiteSUFFIX(x))
    return x < 0 ? 0 : x;
  return __library_powerSUFFIX(__library_exp2SUFFIX(x), x, LIMIT_2);
}

REAL expm1SUFFIX(REAL x) {
  if (x == 0)
    return x;
  if (!__library_finiteSUFFIX(x))
    return x < 0 ? -1 : x;
  if (x < 0)
    return __library_betweenSUFFIX(__library_expm1SUFFIX(x), -1, 0);
  return __library_betweenSUFFIX(__library_expm1SUFFIX(x), 0, __builtin_infSUFFIX());
}

/* The logarithm of a positive finite number; `limit` of the largest and the smallest one. */
static REAL __library_logarithmSUFFIX(REAL result, REAL x, REAL limit) {
  if (x > 1) {
    __CPROVER_assume(result >= 0 && result <= limit);
  } else {
    __CPROVER_assume(result <= 0 && result >= -limit);
  }
  return result;
}

/* Of all other numbers. */
static REAL __library_no_logarithmSUFFIX(REAL x) {
  if (x == 0)
    return -__builtin_infSUFFIX();
  if (x < 0)
    return (x - x) / (x - x);
  return x == 1 ? 0 : x;
}

REAL logSUFFIX(REAL x) {
  if (!(x > 0) || x == 1 || !__library_finiteSUFFIX(x))
    return __library_no_logarithmSUFFIX(x);
  return __library_logarithmSUFFIX(__library_logSUFFIX(x), x, 746);
}

REAL log2SUFFIX(REAL x) {
  if (!(x > 0) || x == 1 || !__library_finiteSUFFIX(x))
    return __library_no_logarithmSUFFIX(x);
  return __library_logarithmSUFFIX(__library_log2SUFFIX(x), x, 1075);
}

REAL log10SUFFIX(REAL x) {
  if (!(x > 0) || x == 1 || !__library_finiteSUFFIX(x))
    return __library_no_logarithmSUFFIX(x);
  return __library_logarithmSUFFIX(__library_log10SUFFIX(x), x, 324);
}

REAL log1pSUFFIX(REAL x) {
  if (x == 0 || x != x)
    return x;
  if (x == -1)
    return -__builtin_infSUFFIX();
  if (x < -1)
    return (x - x) / (x - x);
  if (!__library_finiteSUFFIX(x))
    return x;
  return __library_signedSUFFIX(__library_log1pSUFFIX(x), x, 746);
}

REAL powSUFFIX(REAL x, REAL y) {
  REAL result;
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  if (x < 0 && __library_finiteSUFFIX(x) && __library_finiteSUFFIX(y) && __builtin_floorSUFFIX(y) != y)
    return (x - x) / (x - x);
  result = __library_powSUFFIX(x, y);
  __CPROVER_assume(result == result);
  if (x > 0) {
    __CPROVER_assume(result >= 0);
    if (x > 1 ? y > 0 : y < 0) {
      __CPROVER_assume(result >= 1);
    } else {
      __CPROVER_assume(result <= 1);
    }
  }
  return result;
}

REAL hypotSUFFIX(REAL x, REAL y) {
  if ((x == x && !__library_finiteSUFFIX(x)) || (y == y && !__library_finiteSUFFIX(y)))
    return __builtin_infSUFFIX();
  if (x != x || y != y)
    return x + y;
  if (x == 0 || y == 0)
    return __builtin_fabsSUFFIX(x == 0 ? y : x);
  return __library_betweenSUFFIX(__library_hypotSUFFIX(x, y), 0, __builtin_infSUFFIX());
}

REAL erfSUFFIX(REAL x) {
  if (x == 0 || x != x)
    return x;
  return __library_signedSUFFIX(__library_erfSUFFIX(x), x, 1);
}
