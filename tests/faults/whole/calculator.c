// A calculator. The command line gives the base of the output (-b 2 to 16) and values of variables (x=3); each line of the standard input is an
// expression, or an assignment `name = expression`. Operators by precedence: | ^ & then comparisons, shifts, + -, * / %, unary - ~ !, and calls of
// min, max, abs, gcd and pow.
// Faults that are put into this program measure how well they are localized; see calculator.faults and calculator.tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 64
#define MAX_VARIABLES 26
#define LINE_SIZE 100
#define MAX_DEPTH 20

enum kind { END, NUMBER, NAME, OPERATOR, OPEN, CLOSE, COMMA, ASSIGN };

struct token {
  enum kind kind;
  long value;
  char text[8];
};

struct parser {
  struct token tokens[MAX_TOKENS];
  int count;
  int at;
  int depth;
  const char *error;
};

static long variables[MAX_VARIABLES];
static int is_set[MAX_VARIABLES];
static struct parser parser;
static int base = 10;
static int line_number;

static int is_letter(int letter) {
  return letter >= 'a' && letter <= 'z';
}

static int digit_value(int letter) {
  if (letter >= '0' && letter <= '9')
    return letter - '0';
  if (letter >= 'A' && letter <= 'F')
    return letter - 'A' + 10;
  return -1;
}

static void fail(const char *what) {
  if (parser.error == NULL)
    parser.error = what;
}

static struct token *new_token(enum kind kind) {
  if (parser.count == MAX_TOKENS - 1) {
    fail("too long");
    return &parser.tokens[parser.count];
  }
  struct token *token = &parser.tokens[parser.count];
  parser.count++;
  token->kind = kind;
  token->value = 0;
  token->text[0] = '\0';
  return token;
}

// A number in the text: decimal, or hexadecimal after a `#`. Returns where it ends.
static int scan_number(const char *line, int from) {
  int i = from;
  int radix = 10;
  long value = 0;
  if (line[i] == '#') {
    radix = 16;
    i++;
  }
  int first = i;
  while (digit_value(line[i]) >= 0 && digit_value(line[i]) < radix) {
    value = value * radix + digit_value(line[i]);
    if (value > 100000000L) {
      fail("number too large");
      value = 0;
    }
    i++;
  }
  if (i == first)
    fail("no digits");
  new_token(NUMBER)->value = value;
  return i;
}

static int scan_name(const char *line, int from) {
  int i = from;
  int length = 0;
  struct token *token = new_token(NAME);
  while (is_letter(line[i])) {
    if (length < 7) {
      token->text[length] = line[i];
      length++;
    }
    i++;
  }
  token->text[length] = '\0';
  return i;
}

static int is_double(char first, char second) {
  if (first == '<' && (second == '<' || second == '='))
    return 1;
  if (first == '>' && (second == '>' || second == '='))
    return 1;
  if (first == '=' && second == '=')
    return 1;
  return first == '!' && second == '=';
}

static int scan_operator(const char *line, int from) {
  char first = line[from];
  char second = line[from + 1];
  if (first == '(') {
    new_token(OPEN);
    return from + 1;
  }
  if (first == ')') {
    new_token(CLOSE);
    return from + 1;
  }
  if (first == ',') {
    new_token(COMMA);
    return from + 1;
  }
  if (is_double(first, second)) {
    struct token *token = new_token(OPERATOR);
    token->text[0] = first;
    token->text[1] = second;
    token->text[2] = '\0';
    return from + 2;
  }
  if (first == '=') {
    new_token(ASSIGN);
    return from + 1;
  }
  struct token *token = new_token(OPERATOR);
  token->text[0] = first;
  token->text[1] = '\0';
  return from + 1;
}

static void scan(const char *line) {
  int i = 0;
  parser.count = 0;
  parser.at = 0;
  parser.depth = 0;
  parser.error = NULL;
  while (line[i] != '\0' && parser.error == NULL) {
    if (line[i] == ' ')
      i++;
    else if (line[i] == '#' || (line[i] >= '0' && line[i] <= '9'))
      i = scan_number(line, i);
    else if (is_letter(line[i]))
      i = scan_name(line, i);
    else
      i = scan_operator(line, i);
  }
  parser.tokens[parser.count].kind = END;
}

static struct token *next(void) {
  return &parser.tokens[parser.at];
}

static int is_operator(const char *text) {
  return next()->kind == OPERATOR && strcmp(next()->text, text) == 0;
}

static int binary_level(void) {
  const char *text = next()->text;
  if (next()->kind != OPERATOR)
    return 0;
  if (strcmp(text, "|") == 0)
    return 1;
  if (strcmp(text, "^") == 0)
    return 2;
  if (strcmp(text, "&") == 0)
    return 3;
  if (strcmp(text, "==") == 0 || strcmp(text, "!=") == 0)
    return 4;
  if (strcmp(text, "<") == 0 || strcmp(text, ">") == 0 || strcmp(text, "<=") == 0 || strcmp(text, ">=") == 0)
    return 5;
  if (strcmp(text, "<<") == 0 || strcmp(text, ">>") == 0)
    return 6;
  if (strcmp(text, "+") == 0 || strcmp(text, "-") == 0)
    return 7;
  if (strcmp(text, "*") == 0 || strcmp(text, "/") == 0 || strcmp(text, "%") == 0)
    return 8;
  return 0;
}

static long shift(long value, long by, int left) {
  if (by < 0 || by > 20) {
    fail("shift");
    return 0;
  }
  long factor = 1;
  for (long i = 0; i < by; i++)
    factor = factor * 2;
  return left ? value * factor : value / factor;
}

static long apply(const char *text, long left, long right) {
  switch (text[0]) {
  case '+':
    return left + right;
  case '-':
    return left - right;
  case '*':
    return left * right;
  case '/':
    if (right == 0) {
      fail("division by zero");
      return 0;
    }
    return left / right;
  case '%':
    if (right == 0) {
      fail("division by zero");
      return 0;
    }
    return left % right;
  case '&':
    return left & right;
  case '|':
    return left | right;
  case '^':
    return left ^ right;
  case '=':
    return left == right;
  case '!':
    return left != right;
  case '<':
    if (text[1] == '<')
      return shift(left, right, 1);
    return text[1] == '=' ? left <= right : left < right;
  case '>':
    if (text[1] == '>')
      return shift(left, right, 0);
    return text[1] == '=' ? left >= right : left > right;
  }
  fail("operator");
  return 0;
}

static long gcd(long a, long b) {
  while (b != 0) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static long power(long value, long exponent) {
  long result = 1;
  if (exponent < 0 || exponent > 30) {
    fail("exponent");
    return 0;
  }
  while (exponent > 0) {
    if (exponent % 2 == 1)
      result = result * value;
    value = value * value % 1000003;
    exponent = exponent / 2;
  }
  return result % 1000003;
}

static long call(const char *name, const long *arguments, int count) {
  if (strcmp(name, "abs") == 0 && count == 1)
    return arguments[0] < 0 ? -arguments[0] : arguments[0];
  if (strcmp(name, "gcd") == 0 && count == 2)
    return gcd(arguments[0], arguments[1]);
  if (strcmp(name, "pow") == 0 && count == 2)
    return power(arguments[0], arguments[1]);
  if (count > 0 && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)) {
    long best = arguments[0];
    int smallest = name[1] == 'i';
    for (int i = 1; i < count; i++) {
      if (smallest ? arguments[i] < best : arguments[i] > best)
        best = arguments[i];
    }
    return best;
  }
  fail("function");
  return 0;
}

static long expression(int level);

static long arguments_and_call(const char *name) {
  long arguments[4];
  int count = 0;
  parser.at++;
  while (parser.error == NULL && next()->kind != CLOSE) {
    long value = expression(1);
    if (count == 4) {
      fail("arguments");
      return 0;
    }
    arguments[count] = value;
    count++;
    if (next()->kind == COMMA)
      parser.at++;
    else if (next()->kind != CLOSE)
      fail("expected )");
  }
  parser.at++;
  return parser.error == NULL ? call(name, arguments, count) : 0;
}

static long variable(const char *name) {
  int number = name[0] - 'a';
  if (name[1] != '\0' || !is_set[number]) {
    fail("unknown name");
    return 0;
  }
  return variables[number];
}

static long primary(void) {
  struct token *token = next();
  if (token->kind == NUMBER) {
    parser.at++;
    return token->value;
  }
  if (token->kind == NAME) {
    parser.at++;
    if (next()->kind == OPEN)
      return arguments_and_call(token->text);
    return variable(token->text);
  }
  if (token->kind == OPEN) {
    parser.at++;
    long value = expression(1);
    if (next()->kind != CLOSE) {
      fail("expected )");
      return 0;
    }
    parser.at++;
    return value;
  }
  fail("expected a value");
  return 0;
}

static long unary(void) {
  if (is_operator("-")) {
    parser.at++;
    return -unary();
  }
  if (is_operator("~")) {
    parser.at++;
    return ~unary();
  }
  if (is_operator("!")) {
    parser.at++;
    return unary() == 0;
  }
  return primary();
}

// Operators of at least this level; those of the same level are taken from the left.
static long expression(int level) {
  parser.depth++;
  if (parser.depth > MAX_DEPTH) {
    fail("too deep");
    return 0;
  }
  long left = unary();
  int found = binary_level();
  while (parser.error == NULL && found >= level) {
    const char *text = next()->text;
    parser.at++;
    long right = expression(found + 1);
    left = apply(text, left, right);
    found = binary_level();
  }
  parser.depth--;
  return left;
}

static void print_in_base(long value) {
  char digits[70];
  int count = 0;
  int negative = value < 0;
  unsigned long rest = negative ? -(unsigned long)value : (unsigned long)value;
  do {
    int digit = (int)(rest % base);
    digits[count] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
    count++;
    rest = rest / base;
  } while (rest > 0);
  if (negative)
    putchar('-');
  while (count > 0) {
    count--;
    putchar(digits[count]);
  }
  putchar('\n');
}

static int is_assignment(void) {
  return parser.count > 1 && parser.tokens[0].kind == NAME && parser.tokens[1].kind == ASSIGN;
}

static void evaluate(const char *line) {
  int target = -1;
  scan(line);
  if (parser.error == NULL && parser.count == 0)
    return;
  if (parser.error == NULL && is_assignment()) {
    if (parser.tokens[0].text[1] != '\0')
      fail("name too long");
    target = parser.tokens[0].text[0] - 'a';
    parser.at = 2;
  }
  long value = parser.error == NULL ? expression(1) : 0;
  if (parser.error == NULL && next()->kind != END)
    fail("unexpected");
  if (parser.error != NULL) {
    printf("line %d: %s\n", line_number, parser.error);
    return;
  }
  if (target >= 0) {
    variables[target] = value;
    is_set[target] = 1;
    return;
  }
  print_in_base(value);
}

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
  line_number++;
  return 1;
}

static int read_options(int argc, char *argv[]) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "-b") == 0 && i + 1 < argc) {
      base = atoi(argv[i + 1]);
      i++;
      if (base < 2 || base > 16)
        return 0;
    } else if (is_letter(word[0]) && word[1] == '=') {
      variables[word[0] - 'a'] = atoi(word + 2);
      is_set[word[0] - 'a'] = 1;
    } else {
      return 0;
    }
  }
  return 1;
}

int main(int argc, char *argv[]) {
  char line[LINE_SIZE];
  if (!read_options(argc, argv)) {
    printf("usage: calculator [-b BASE] [NAME=VALUE]...\n");
    return 2;
  }
  while (read_line(line, LINE_SIZE))
    evaluate(line);
  return 0;
}
