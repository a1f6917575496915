// A stock ledger. The command line gives the tax rate and options, the standard input one command on each line:
//   add NAME COUNT PRICE, sell NAME COUNT, drop NAME, price NAME PRICE, limit NAME COUNT, list, total, low, find PREFIX
// Faults that are put into this program measure how well they are localized; see inventory.faults and inventory.tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 24
#define NAME_SIZE 12
#define LINE_SIZE 80
#define MAX_WORDS 5

struct item {
  char name[NAME_SIZE];
  int count;
  int price;
  int limit;
  int sold;
};

struct ledger {
  struct item items[MAX_ITEMS];
  int used;
  int income;
  int errors;
};

struct options {
  int tax_percent;
  int sorted;
  int verbose;
};

static struct ledger ledger;
static struct options options;

static int is_space(int letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

static int is_digit(int letter) {
  return letter >= '0' && letter <= '9';
}

static int text_length(const char *text) {
  int length = 0;
  while (text[length] != '\0')
    length++;
  return length;
}

static int text_compare(const char *a, const char *b) {
  int i = 0;
  while (a[i] != '\0' && a[i] == b[i])
    i++;
  return a[i] - b[i];
}

static int starts_with(const char *text, const char *prefix) {
  int i = 0;
  while (prefix[i] != '\0') {
    if (text[i] != prefix[i])
      return 0;
    i++;
  }
  return 1;
}

static void text_copy(char *to, const char *from, int size) {
  int i = 0;
  while (i < size - 1 && from[i] != '\0') {
    to[i] = from[i];
    i++;
  }
  to[i] = '\0';
}

// A number without sign, or -1.
static int parse_number(const char *text) {
  int value = 0;
  int i = 0;
  if (text[0] == '\0')
    return -1;
  while (text[i] != '\0') {
    if (!is_digit(text[i]))
      return -1;
    value = value * 10 + (text[i] - '0');
    if (value > 1000000)
      return -1;
    i++;
  }
  return value;
}

// Cuts a line into words; returns how many there are.
static int split(char *line, char *words[], int most) {
  int count = 0;
  int i = 0;
  while (line[i] != '\0') {
    while (is_space(line[i])) {
      line[i] = '\0';
      i++;
    }
    if (line[i] == '\0')
      break;
    if (count == most)
      return count;
    words[count] = &line[i];
    count++;
    while (line[i] != '\0' && !is_space(line[i]))
      i++;
  }
  return count;
}

static int find_item(const char *name) {
  for (int i = 0; i < ledger.used; i++) {
    if (text_compare(ledger.items[i].name, name) == 0)
      return i;
  }
  return -1;
}

static void complain(const char *what, const char *name) {
  ledger.errors++;
  printf("? %s %s\n", what, name);
}

static int insert_position(const char *name) {
  int position = ledger.used;
  if (!options.sorted)
    return position;
  while (position > 0 && text_compare(ledger.items[position - 1].name, name) > 0)
    position--;
  return position;
}

static void command_add(const char *name, int count, int price) {
  int found = find_item(name);
  if (count < 0 || price < 0) {
    complain("number", name);
    return;
  }
  if (found >= 0) {
    struct item *item = &ledger.items[found];
    int all = item->count + count;
    // The price becomes the average of what is there and what comes.
    if (all > 0)
      item->price = (item->count * item->price + count * price) / all;
    item->count = all;
    return;
  }
  if (ledger.used == MAX_ITEMS) {
    complain("full", name);
    return;
  }
  int position = insert_position(name);
  for (int i = ledger.used; i > position; i--)
    ledger.items[i] = ledger.items[i - 1];
  struct item *item = &ledger.items[position];
  text_copy(item->name, name, NAME_SIZE);
  item->count = count;
  item->price = price;
  item->limit = 2;
  item->sold = 0;
  ledger.used++;
}

static int discount_percent(int count) {
  if (count >= 100)
    return 15;
  if (count >= 20)
    return 8;
  if (count >= 10)
    return 5;
  return 0;
}

static int with_tax(int amount) {
  int tax = (amount * options.tax_percent + 50) / 100;
  return amount + tax;
}

static int cost_of(int count, int price) {
  int full = count * price;
  int reduced = full - full * discount_percent(count) / 100;
  return with_tax(reduced);
}

static void command_sell(const char *name, int count) {
  int found = find_item(name);
  if (found < 0) {
    complain("unknown", name);
    return;
  }
  struct item *item = &ledger.items[found];
  if (count <= 0 || count > item->count) {
    complain("count", name);
    return;
  }
  int cost = cost_of(count, item->price);
  item->count -= count;
  item->sold += count;
  ledger.income += cost;
  printf("sold %d %s for %d\n", count, name, cost);
}

static void command_drop(const char *name) {
  int found = find_item(name);
  if (found < 0) {
    complain("unknown", name);
    return;
  }
  ledger.used--;
  for (int i = found; i < ledger.used; i++)
    ledger.items[i] = ledger.items[i + 1];
}

static void command_price(const char *name, int price) {
  int found = find_item(name);
  if (found < 0 || price < 0) {
    complain("price", name);
    return;
  }
  ledger.items[found].price = price;
}

static void command_limit(const char *name, int limit) {
  int found = find_item(name);
  if (found < 0 || limit < 0) {
    complain("limit", name);
    return;
  }
  ledger.items[found].limit = limit;
}

static void print_padded(const char *text, int width) {
  int length = text_length(text);
  printf("%s", text);
  for (int i = length; i < width; i++)
    printf(" ");
}

static void command_list(void) {
  for (int i = 0; i < ledger.used; i++) {
    const struct item *item = &ledger.items[i];
    print_padded(item->name, NAME_SIZE);
    printf("%d %d", item->count, item->price);
    if (options.verbose)
      printf(" (%d sold, limit %d)", item->sold, item->limit);
    printf("\n");
  }
}

static int stock_value(void) {
  int value = 0;
  for (int i = 0; i < ledger.used; i++)
    value += ledger.items[i].count * ledger.items[i].price;
  return value;
}

static void command_total(void) {
  int pieces = 0;
  for (int i = 0; i < ledger.used; i++)
    pieces += ledger.items[i].count;
  printf("%d kinds, %d pieces, worth %d, income %d\n", ledger.used, pieces, stock_value(), ledger.income);
}

static void command_low(void) {
  int shown = 0;
  for (int i = 0; i < ledger.used; i++) {
    const struct item *item = &ledger.items[i];
    if (item->count < item->limit) {
      printf("low %s %d\n", item->name, item->limit - item->count);
      shown++;
    }
  }
  if (shown == 0)
    printf("enough of all\n");
}

static void command_find(const char *prefix) {
  int found = 0;
  for (int i = 0; i < ledger.used; i++) {
    if (starts_with(ledger.items[i].name, prefix)) {
      printf("%s ", ledger.items[i].name);
      found++;
    }
  }
  printf("(%d)\n", found);
}

static int number_at(char *words[], int count, int index) {
  if (index >= count)
    return -1;
  return parse_number(words[index]);
}

static void carry_out(char *line) {
  char *words[MAX_WORDS];
  int count = split(line, words, MAX_WORDS);
  if (count == 0)
    return;
  const char *command = words[0];
  if (text_compare(command, "list") == 0) {
    command_list();
  } else if (text_compare(command, "total") == 0) {
    command_total();
  } else if (text_compare(command, "low") == 0) {
    command_low();
  } else if (count < 2) {
    complain("command", command);
  } else if (text_compare(command, "add") == 0) {
    command_add(words[1], number_at(words, count, 2), number_at(words, count, 3));
  } else if (text_compare(command, "sell") == 0) {
    command_sell(words[1], number_at(words, count, 2));
  } else if (text_compare(command, "drop") == 0) {
    command_drop(words[1]);
  } else if (text_compare(command, "price") == 0) {
    command_price(words[1], number_at(words, count, 2));
  } else if (text_compare(command, "limit") == 0) {
    command_limit(words[1], number_at(words, count, 2));
  } else if (text_compare(command, "find") == 0) {
    command_find(words[1]);
  } else {
    complain("command", command);
  }
}

// Reads a line without its end; what does not fit is left out. Returns 0 at the end of the input.
static int read_line(char *line, int size) {
  int length = 0;
  int letter = getchar();
  if (letter == EOF)
    return 0;
  while (letter != EOF && letter != '\n') {
    if (length < size - 1) {
      line[length] = (char)letter;
      length++;
    }
    letter = getchar();
  }
  line[length] = '\0';
  return 1;
}

static void read_options(int argc, char *argv[]) {
  options.tax_percent = 20;
  for (int i = 1; i < argc; i++) {
    if (text_compare(argv[i], "-s") == 0)
      options.sorted = 1;
    else if (text_compare(argv[i], "-v") == 0)
      options.verbose = 1;
    else
      options.tax_percent = parse_number(argv[i]);
  }
}

int main(int argc, char *argv[]) {
  char line[LINE_SIZE];
  read_options(argc, argv);
  while (read_line(line, LINE_SIZE))
    carry_out(line);
  if (ledger.errors > 0)
    printf("%d errors\n", ledger.errors);
  return ledger.errors > 0;
}
