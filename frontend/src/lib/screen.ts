/* oxlint-disable no-control-regex -- control characters are what this file is about */

// A terminal's screen, as far as it determines the final text: cursor movement, overwriting and erasing. It is as wide
// as its longest line. Lines that scrolled off the top stay as they are.

/** The style of a cell. */
export interface Look {
  /** "red", "bright-red"…, "#rrggbb", or "" for the default color. */
  color: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

interface Cell {
  /** A character with its combining marks; "" for the second half of a wide one. */
  text: string;
  look: Look;
}

export const plainLook: Look = { color: "", bold: false, dim: false, italic: false, underline: false };

// The number of lines the cursor can reach, and the maximum column. The blanks it leaves behind are limited too.
const HEIGHT = 50;
const WIDTH = 10_000;
const BLANKS = 200_000;
// The maximum number of cells moved or blanked by sequences, each of which may affect a whole line. Beyond it, the
// output may differ from a terminal's.
const MOVES = 20_000_000;

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const WIDE = /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const JOINS = /^(?:\p{M}|\u200d|\ufe0f)$/u;

// Control input: an OS command (its end may be missing), a CSI sequence, a short escape, or a single control character.
const STEP =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]|$)|\u001b(?!\[)[ -/]*([0-Z\\^-~]?)|([\u0000-\u001f\u007f-\u009f])/g;

export class Screen {
  private lines: Cell[][] = [[]];
  private row = 0;
  private column = 0;
  private look = plainLook;
  private kept = { row: 0, column: 0 };
  private blanks = BLANKS;
  private moves = MOVES;
  /** Lines above the screen, as runs of the same style. */
  private readonly above: [text: string, look: Look][] = [];

  write(text: string): void {
    let at = 0;
    for (const step of text.matchAll(STEP)) {
      this.print(text.slice(at, step.index));
      at = step.index + step[0].length;
      if (step[2] !== undefined) this.sequence(step[1] ?? "", step[2]);
      else if (step[3]) this.short(step[3]);
      else if (step[4]) this.control(step[4]);
    }
    this.print(text.slice(at));
  }

  /** The lines as runs of the same style, without trailing cells that were never written. */
  read<T>(each: (text: string, look: Look) => T): T[] {
    this.leave(this.lines.length - 1);
    const out = this.above.map(([text, look]) => each(text, look));
    const last = runsOf(this.lines[0] ?? []);
    return [...out, ...last.map(([text, look]) => each(text, look))];
  }

  /** Moves the first lines out of reach. */
  private leave(count: number): void {
    for (const line of this.lines.splice(0, count)) this.above.push(...runsOf(line), ["\n", plainLook]);
    this.row -= count;
    this.kept.row = Math.max(0, this.kept.row - count);
  }

  private top(): number {
    return Math.max(0, this.lines.length - HEIGHT);
  }

  private line(): Cell[] {
    while (this.lines.length <= this.row) this.lines.push([]);
    return this.lines[this.row] as Cell[];
  }

  private print(text: string): void {
    if (text === "") return;
    const line = this.line();
    const blank = { text: " ", look: plainLook };
    for (; line.length < this.column && this.blanks > 0; this.blanks--) line.push(blank);
    this.column = Math.min(this.column, line.length);
    for (const char of text) {
      const before = line[this.column - 1];
      if (char < "\u0300" && line[this.column]?.text !== "") {
        line[this.column++] = { text: char, look: this.look };
        if (line[this.column]?.text === "") line[this.column] = blank;
        continue;
      }
      if (JOINS.test(char) && before) {
        line[this.column - 1] = { ...before, text: before.text + char };
        continue;
      }
      // Overwriting half of a wide character leaves a blank.
      if (line[this.column]?.text === "" && before) line[this.column - 1] = blank;
      const wide = WIDE.test(char);
      line[this.column] = { text: char, look: this.look };
      if (wide) line[this.column + 1] = { text: "", look: this.look };
      this.column += wide ? 2 : 1;
      if (line[this.column]?.text === "") line[this.column] = blank;
    }
  }

  private control(char: string): void {
    switch (char) {
      case "\n":
      case "\u000b":
      case "\u000c":
        this.row++;
        this.column = 0; // as a terminal driver does
        this.line();
        if (this.lines.length > 4 * HEIGHT) this.leave(this.lines.length - HEIGHT);
        break;
      case "\r":
        this.column = 0;
        break;
      case "\b":
        this.column = Math.max(0, this.column - 1);
        break;
      case "\t":
        this.print("\t");
        break;
      default: // the bell, or no effect
    }
  }

  private short(char: string): void {
    if (char === "7") this.kept = { row: this.row, column: this.column };
    else if (char === "8") ({ row: this.row, column: this.column } = this.kept);
    else if (char === "E") this.control("\n");
    else if (char === "M") this.go(this.row - 1, this.column);
    else if (char === "c") {
      this.erase(this.top(), this.lines.length);
      this.go(0, 0);
    }
  }

  private go(row: number, column: number): void {
    this.row = Math.min(Math.max(row, this.top()), this.top() + HEIGHT - 1);
    this.column = Math.min(Math.max(column, 0), WIDTH);
    this.line();
  }

  private erase(from: number, to: number): void {
    for (let row = from; row < Math.min(to, this.lines.length); row++) this.lines[row] = [];
    // Drop empty lines below the cursor, unless lines have left the screen.
    if (to >= this.lines.length && this.lines.length <= HEIGHT) this.lines.length = this.row + 1;
  }

  private sequence(args: string, end: string): void {
    const numbers = /^[\d;:]*$/.test(args) ? args.split(/[;:]/).map((n) => (n === "" ? -1 : Number(n))) : null;
    if (!numbers) return; // private sequences, such as for the mouse
    const first = numbers[0] ?? -1;
    const n = Math.min(first < 1 ? 1 : first, WIDTH);
    const line = this.line();
    switch (end) {
      case "A": return this.go(this.row - n, this.column);
      case "B": return this.go(this.row + n, this.column);
      case "C": return this.go(this.row, this.column + n);
      case "D": return this.go(this.row, this.column - n);
      case "E": return this.go(this.row + n, 0);
      case "F": return this.go(this.row - n, 0);
      case "G": case "`": return this.go(this.row, n - 1);
      case "d": return this.go(this.top() + n - 1, this.column);
      case "H": case "f": return this.go(this.top() + n - 1, Math.max(numbers[1] ?? 1, 1) - 1);
      case "J":
        if (first < 1) {
          this.part(this.column);
          line.length = Math.min(line.length, this.column);
          this.erase(this.row + 1, this.lines.length);
        } else if (first === 1) {
          this.erase(this.top(), this.row);
          this.blank(0, this.column + 1);
        } else {
          this.erase(this.top(), this.lines.length);
        }
        return;
      case "K":
        if (first < 1) {
          this.part(this.column);
          line.length = Math.min(line.length, this.column);
        } else if (first === 1) this.blank(0, this.column + 1);
        else this.lines[this.row] = [];
        return;
      case "P":
        this.part(this.column);
        this.part(this.column + n);
        if (this.may(line.length - this.column)) line.splice(this.column, n);
        return;
      case "X": return this.blank(this.column, this.column + n);
      case "@": {
        this.part(this.column);
        const blanks = line.length > this.column ? Math.min(n, this.blanks) : 0;
        if (blanks === 0 || !this.may(line.length - this.column)) return;
        this.blanks -= blanks;
        line.splice(this.column, 0, ...Array.from({ length: blanks }, () => ({ text: " ", look: plainLook })));
        return;
      }
      case "L": {
        const bottom = this.top() + HEIGHT;
        this.lines.splice(this.row, 0, ...Array.from({ length: Math.min(n, HEIGHT) }, () => []));
        this.lines.length = Math.min(this.lines.length, bottom);
        this.column = 0;
        return;
      }
      case "M": this.lines.splice(this.row, n); this.column = 0; this.line(); return;
      case "s": this.kept = { row: this.row, column: this.column }; return;
      case "u": ({ row: this.row, column: this.column } = this.kept); this.line(); return;
      case "m": this.look = looked(this.look, numbers); return;
      default: // no effect on the text
    }
  }

  /** Whether this many cells may still be moved. */
  private may(cells: number): boolean {
    this.moves -= Math.max(cells, 0);
    return this.moves > 0;
  }

  /** A wide character that is cut in two leaves blanks. */
  private part(column: number): void {
    const line = this.line();
    if (column > 0 && line[column]?.text === "") line[column - 1] = line[column] = { text: " ", look: plainLook };
  }

  private blank(from: number, to: number): void {
    const line = this.line();
    this.part(from);
    this.part(to);
    if (!this.may(Math.min(to, line.length) - from)) return;
    for (let at = from; at < Math.min(to, line.length); at++) line[at] = { text: " ", look: plainLook };
  }
}

/** A line as runs of the same style. */
function runsOf(line: readonly Cell[]): [string, Look][] {
  const runs: [string, Look][] = [];
  for (const cell of line) {
    const last = runs.at(-1);
    if (last?.[1] === cell.look) last[0] += cell.text;
    else runs.push([cell.text, cell.look]);
  }
  return runs;
}

/** A style with the changes of a sequence. */
function looked(before: Look, numbers: readonly number[]): Look {
  let look = { ...before };
  for (let i = 0; i < numbers.length; i++) {
    const n = Math.max(numbers[i] ?? 0, 0);
    if (n === 0) look = { ...plainLook };
    else if (n === 1) look.bold = true;
    else if (n === 2) look.dim = true;
    else if (n === 3) look.italic = true;
    else if (n === 4) look.underline = true;
    else if (n === 22) look.bold = look.dim = false;
    else if (n === 23) look.italic = false;
    else if (n === 24) look.underline = false;
    else if (n === 39) look.color = "";
    else if (n >= 30 && n <= 37) look.color = NAMES[n - 30] ?? "";
    else if (n >= 90 && n <= 97) look.color = `bright-${NAMES[n - 90]}`;
    else if (n === 38 || n === 48) {
      const [color, used] = extended(numbers.slice(i + 1, i + 6));
      if (n === 38) look.color = color;
      i += used;
    }
  }
  return look;
}

/** One of the 256 colors, or an RGB color. */
function extended(numbers: readonly number[]): [color: string, used: number] {
  const hex = (...parts: number[]) => `#${parts.map((p) => Math.min(Math.max(p, 0), 255).toString(16).padStart(2, "0")).join("")}`;
  if (numbers[0] === 2) return [hex(numbers[1] ?? 0, numbers[2] ?? 0, numbers[3] ?? 0), 4];
  if (numbers[0] !== 5) return ["", Infinity];
  const n = numbers[1] ?? 0;
  if (n < 8) return [NAMES[Math.max(n, 0)] ?? "", 2];
  if (n < 16) return [`bright-${NAMES[n - 8]}`, 2];
  if (n >= 232) return [hex(...Array<number>(3).fill(8 + 10 * (Math.min(n, 255) - 232))), 2];
  const part = (of: number) => (of === 0 ? 0 : 55 + 40 * of);
  return [hex(part(Math.floor((n - 16) / 36)), part(Math.floor((n - 16) / 6) % 6), part((n - 16) % 6)), 2];
}
