// The price of a parcel: weight in grams and zone, on the command line or on the standard input. Parcels of exactly 500 grams are charged
// as heavy ones: line 18 should say <=.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/shipping.csv
//~ run: localize --tests tests/programs/localize/shipping --no-repair --method replace,ochiai
//~ run: localize --tests tests/programs/localize/shipping.json --no-repair --method ochiai,dstar,tarantula
//~ run: localize --arg 500 --arg 1 --expect-stdout tests/programs/localize/shipping/exact.expected --no-repair
//~ run: localize --tests tests/programs/localize/shipping_passes.csv
//~ run: replay --quiet --stdin tests/programs/localize/shipping/exact.in --expect-stdout tests/programs/localize/shipping/exact.expected
//~ run: replay --quiet --arg 700 --arg 2 --expect-result 1
#include <stdio.h>
#include <stdlib.h>

static int base_price(int weight) {
  if (weight <= 100)
    return 2;
  if (weight < 500)
    return 4;
  return 4 + (weight - 500) / 250 + 1;
}

static int price(int weight, int zone) {
  int total = base_price(weight);
  if (zone > 1)
    total = total + 3 * (zone - 1);
  return total;
}

int main(int argc, char **argv) {
  int weight, zone;
  if (argc > 2) {
    weight = atoi(argv[1]);
    zone = atoi(argv[2]);
  } else if (scanf("%d %d", &weight, &zone) != 2)
    return 1;
  printf("%d\n", price(weight, zone));
  return 0;
}
