// A function as the entry, with arrays whose length another parameter says, structures built to a depth, and conditions on all of it.
//~ SAFE
//~ run: verify --entry sum --entry-arrays values=count --assume count<=4
//~ run: verify --entry sum --entry-arrays values=4 --assume count<=4 --assume count>=bound-8
//~ run: verify --entry first --entry-arrays 2 --assume values[0]==3&&values[1]>3
//~ run: verify --entry length --entry-depth 2
//~ UNSAFE
//~ run: verify --entry sum --entry-arrays values=count --assume count<=9
//~ run: verify --entry sum --entry-arrays values=3 --assume count<=4
//~ run: verify --entry length --entry-depth 3
//~ run: minimize --entry length --entry-depth 3
//~ run: replay --entry length --entry-depth 3 --inputs 1,1
//~ run: replay --entry sum --entry-arrays values=3 --assume count<=4 --inputs 4
//~ run: verify --entry sum --entry-arrays values=other
//~ run: verify --entry sum --entry-arrays count=3
//~ run: verify --entry sum --entry-arrays values=0
//~ run: verify --entry sum --entry-arrays 3 --assume count<
//~ run: verify --entry sum --entry-arrays 3 --assume unknown<3
struct node { int value; struct node *next; };
int bound = 8;
int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) total += values[i] & 1;
  //@ assert total <= bound;
  return total;
}
int first(const int *values) {
  //@ assert values[0] < values[1];
  return values[0];
}
int length(const struct node *list) {
  int count = 0;
  for (; list; list = list->next) count++;
  //@ assert count <= 2;
  return count;
}
