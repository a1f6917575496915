// A text formatter. Command line: -w WIDTH, -j (justify), -c (centre), -r (align right), -i INDENT, -n (number lines), -t SIZE (tab size).
// Standard input: words are filled into lines of that width; an empty line ends a paragraph; a line that begins with a dot is a command:
// .width N, .indent N, .left, .right, .center, .justify, .break, .rule, .count
// Faults that are put into this program measure how well they are localized; see formatter.faults and formatter.tests.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 128
#define MAX_WORDS 40
#define MAX_WORD 32

enum align { LEFT, RIGHT, CENTER, JUSTIFY };

struct word {
  char text[MAX_WORD];
  int length;
};

struct settings {
  int width;
  int indent;
  int tab;
  int numbered;
  enum align align;
};

struct counts {
  int words;
  int letters;
  int lines;
  int paragraphs;
  int longest;
};

static struct settings settings = {30, 0, 4, 0, LEFT};
static struct counts counts;
static struct word pending[MAX_WORDS];
static int pending_count;
static int pending_length;
static int first_of_paragraph = 1;
static int spaces_from_right;

static void put_spaces(int count) {
  for (int i = 0; i < count; i++)
    putchar(' ');
}

static void put_text(const char *text, int length) {
  for (int i = 0; i < length; i++)
    putchar(text[i]);
}

static void begin_line(void) {
  counts.lines++;
  if (settings.numbered)
    printf("%3d ", counts.lines);
}

static int current_indent(void) {
  return first_of_paragraph ? settings.indent : 0;
}

static int room(void) {
  return settings.width - current_indent();
}

// The length of the pending words with one space between them.
static int natural_length(void) {
  if (pending_count == 0)
    return 0;
  return pending_length + pending_count - 1;
}

static void put_natural(void) {
  for (int i = 0; i < pending_count; i++) {
    if (i > 0)
      putchar(' ');
    put_text(pending[i].text, pending[i].length);
  }
}

// Spreads what is left of the line over the gaps; the gaps that get one space more change sides from line to line.
static void put_justified(void) {
  int gaps = pending_count - 1;
  int left = room() - pending_length;
  if (gaps == 0) {
    put_natural();
    return;
  }
  int each = left / gaps;
  int more = left % gaps;
  for (int i = 0; i < pending_count; i++) {
    put_text(pending[i].text, pending[i].length);
    if (i < gaps) {
      int extra = spaces_from_right ? i >= gaps - more : i < more;
      put_spaces(each + extra);
    }
  }
  spaces_from_right = !spaces_from_right;
}

static void flush_line(int is_last) {
  if (pending_count == 0)
    return;
  int free = room() - natural_length();
  begin_line();
  put_spaces(current_indent());
  switch (settings.align) {
  case LEFT:
    put_natural();
    break;
  case RIGHT:
    put_spaces(free);
    put_natural();
    break;
  case CENTER:
    put_spaces(free / 2);
    put_natural();
    break;
  case JUSTIFY:
    if (is_last)
      put_natural();
    else
      put_justified();
    break;
  }
  putchar('\n');
  first_of_paragraph = 0;
  pending_count = 0;
  pending_length = 0;
}

static void add_word(const char *text, int length) {
  int needed = natural_length() + length;
  if (pending_count > 0)
    needed++;
  if (needed > room() || pending_count == MAX_WORDS)
    flush_line(0);
  struct word *word = &pending[pending_count];
  for (int i = 0; i < length; i++)
    word->text[i] = text[i];
  word->length = length;
  pending_count++;
  pending_length += length;
  counts.words++;
  counts.letters += length;
  if (length > counts.longest)
    counts.longest = length;
}

static int is_vowel(int letter) {
  switch (letter) {
  case 'a':
  case 'e':
  case 'i':
  case 'o':
  case 'u':
    return 1;
  }
  return 0;
}

// Where a word of more than the width is cut: behind a vowel that a consonant follows, if there is one.
static int cut_position(const char *text, int length, int most) {
  for (int i = most - 2; i > 1; i--) {
    if (is_vowel(text[i]) && i + 1 < length && !is_vowel(text[i + 1]))
      return i + 1;
  }
  return most - 1;
}

static void add_long_word(const char *text, int length) {
  char piece[MAX_WORD];
  int from = 0;
  while (length - from > room()) {
    int cut = cut_position(text + from, length - from, room());
    for (int i = 0; i < cut; i++)
      piece[i] = text[from + i];
    piece[cut] = '-';
    add_word(piece, cut + 1);
    from += cut;
  }
  if (from < length)
    add_word(text + from, length - from);
}

static void end_paragraph(void) {
  if (pending_count == 0 && first_of_paragraph)
    return;
  flush_line(1);
  counts.paragraphs++;
  first_of_paragraph = 1;
  spaces_from_right = 0;
}

static void fill(const char *line) {
  int i = 0;
  while (line[i] != '\0') {
    while (isspace((unsigned char)line[i]))
      i++;
    int start = i;
    while (line[i] != '\0' && !isspace((unsigned char)line[i]))
      i++;
    int length = i - start;
    if (length > MAX_WORD - 2)
      length = MAX_WORD - 2;
    if (length > room())
      add_long_word(line + start, length);
    else if (length > 0)
      add_word(line + start, length);
  }
}

static void put_rule(void) {
  begin_line();
  for (int i = 0; i < settings.width; i++)
    putchar(i % 2 == 0 ? '-' : ' ');
  putchar('\n');
}

static int number_after(const char *line, int length) {
  int i = length;
  int value = 0;
  while (line[i] == ' ')
    i++;
  while (isdigit((unsigned char)line[i])) {
    value = value * 10 + (line[i] - '0');
    i++;
  }
  return value;
}

static int is_command(const char *line, const char *name) {
  int length = (int)strlen(name);
  return strncmp(line + 1, name, length) == 0 && (line[length + 1] == '\0' || line[length + 1] == ' ');
}

static void set_width(int width) {
  if (width < 8)
    width = 8;
  if (width > MAX_LINE - 20)
    width = MAX_LINE - 20;
  settings.width = width;
  if (settings.indent > width / 2)
    settings.indent = width / 2;
}

static void set_indent(int indent) {
  settings.indent = indent > settings.width / 2 ? settings.width / 2 : indent;
}

static void put_counts(void) {
  int average = counts.words > 0 ? (counts.letters * 10 + counts.words / 2) / counts.words : 0;
  begin_line();
  printf("%d words, %d letters, %d.%d on average, longest %d\n", counts.words, counts.letters, average / 10, average % 10,
         counts.longest);
}

static void carry_out(const char *line) {
  if (is_command(line, "width")) {
    flush_line(1);
    set_width(number_after(line, 6));
  } else if (is_command(line, "indent")) {
    end_paragraph();
    set_indent(number_after(line, 7));
  } else if (is_command(line, "left")) {
    flush_line(1);
    settings.align = LEFT;
  } else if (is_command(line, "right")) {
    flush_line(1);
    settings.align = RIGHT;
  } else if (is_command(line, "center")) {
    flush_line(1);
    settings.align = CENTER;
  } else if (is_command(line, "justify")) {
    flush_line(1);
    settings.align = JUSTIFY;
  } else if (is_command(line, "break")) {
    flush_line(1);
  } else if (is_command(line, "rule")) {
    end_paragraph();
    put_rule();
  } else if (is_command(line, "count")) {
    end_paragraph();
    put_counts();
  } else {
    fill(line);
  }
}

// Copies a line, with spaces up to the next column of tabs instead of each tab.
static void expand_tabs(const char *from, char *to) {
  int column = 0;
  for (int i = 0; from[i] != '\0' && column < MAX_LINE - 1; i++) {
    if (from[i] == '\t') {
      int stop = (column / settings.tab + 1) * settings.tab;
      while (column < stop && column < MAX_LINE - 1) {
        to[column] = ' ';
        column++;
      }
    } else {
      to[column] = from[i];
      column++;
    }
  }
  to[column] = '\0';
}

static int read_line(char *line) {
  int length = 0;
  int letter = getchar();
  if (letter == EOF)
    return 0;
  while (letter != EOF && letter != '\n') {
    if (length < MAX_LINE - 1) {
      line[length] = (char)letter;
      length++;
    }
    letter = getchar();
  }
  line[length] = '\0';
  return 1;
}

static int is_blank(const char *line) {
  for (int i = 0; line[i] != '\0'; i++) {
    if (!isspace((unsigned char)line[i]))
      return 0;
  }
  return 1;
}

static void read_options(int argc, char *argv[]) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-j") == 0) {
      settings.align = JUSTIFY;
    } else if (strcmp(argv[i], "-c") == 0) {
      settings.align = CENTER;
    } else if (strcmp(argv[i], "-r") == 0) {
      settings.align = RIGHT;
    } else if (strcmp(argv[i], "-n") == 0) {
      settings.numbered = 1;
    } else if (i + 1 < argc) {
      int value = atoi(argv[i + 1]);
      if (strcmp(argv[i], "-w") == 0)
        set_width(value);
      else if (strcmp(argv[i], "-i") == 0)
        set_indent(value);
      else if (strcmp(argv[i], "-t") == 0 && value > 0)
        settings.tab = value;
      i++;
    }
  }
}

int main(int argc, char *argv[]) {
  char line[MAX_LINE];
  char expanded[MAX_LINE];
  read_options(argc, argv);
  while (read_line(line)) {
    expand_tabs(line, expanded);
    if (is_blank(expanded)) {
      end_paragraph();
      putchar('\n');
    } else if (expanded[0] == '.') {
      carry_out(expanded);
    } else {
      fill(expanded);
    }
  }
  end_paragraph();
  return 0;
}
