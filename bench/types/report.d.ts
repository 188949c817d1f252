/**
 * Reports of records: kinds, their sections, and the blocks of sections. A section is defined once, and printed in a
 * terminal, on the page and as Markdown by renderers that read blocks only.
 */
import type { DiffMetric } from './diff.d.ts'
import type { Unit } from './plan.d.ts'
import type { ArmResult, Contrast, Sample } from './results.d.ts'
import type { RunRecord } from './run.d.ts'
import type { Verdict } from './record.d.ts'

/**
 * How records of one kind are reported. Only the code of a kind reads the fields that its records have alone.
 * bench/run/kinds.js maps records to kinds.
 */
export interface Kind<Subject = RunRecord> {
  /** name in bench/run/kinds.js */
  kind: string
  /** ranges: print those of response times, where no table has them */
  answer: (record: Subject, options?: { ranges?: boolean }) => Answer
  /** in the order of all outputs */
  sections: (record: Subject, extras?: SectionExtras) => Section[]
  /** amount of measurements, time, and why the run ended, as a sentence */
  end: (record: Subject) => string
  /** commands that follow from the record; run: its name as a word of a shell */
  next: (record: Subject, run: string) => CommandBlock[]
  /** chart for a file of its own, and for the list of answers; null: nothing to draw */
  mainChart: (record: Subject) => ChartBlock | null
  metrics: (record: Subject) => Metric[]
  /** rates: compared by --fail-if-slower */
  findings: (record: Subject, rates?: DiffMetric[]) => Finding[]
  /** the record with the texts of its facts, for the JSON of the command line */
  printFacts: (record: Subject) => object
}

/** Report of a record that is not of a run: a check, an advice, or two compared runs. */
export type Report<Subject> = Pick<Kind<Subject>, 'answer' | 'sections'>

/** Answer of a record: one or two sentences, and the contrasts in them. */
export interface Answer {
  text: string
  contrasts: Pick<Contrast, 'arm' | 'baseline' | 'ratio' | 'low' | 'high' | 'level' | 'verdict'>[]
}

/** Data of sections besides the record. */
export interface SectionExtras {
  /** left out: the output draws no charts */
  samples?: Sample[]
}

export interface Section {
  /** anchor on the page */
  id: string
  title: string
  /** a section without content is not printed */
  blocks: Block[]
  /** blocks of the short report; true: all; left out: the section is not part of it */
  brief?: boolean | Block[]
  /** true: the short report has no title, because the columns of the table name its content */
  isUntitled?: boolean
}

/** A string is a sentence. Every renderer escapes it as a whole, because it may contain texts of other programs. */
export type Block = string | Table<any> | ChartBlock | CommandBlock

/** A command to paste. A line may be broken between its parts. */
export interface CommandBlock {
  /** empty: only the sentence is printed */
  command: string[]
  /** words before the command in the short report: "Configuration" */
  label: string
  /** sentence before the command, in long reports */
  sentence: string
}

/** Data of a chart. bench/report/charts/charts.js draws it; a terminal and Markdown print the table beside it. */
export type ChartBlock = Drawing & {
  /** alternative text; left out: the title of the section */
  label?: string
  /** explanation below the chart */
  note?: string
}
export type Drawing =
  | { chart: 'lines', lines: ChartLine[], axes: LineAxes }
  | { chart: 'bars', bars: Bar[], unit: string }
  | { chart: 'ratios', rows: RatioRow[], noise: { low: number, high: number } | null, axis?: string, band?: string }
  | { chart: 'rates', arms: ArmResult[], unit: Unit, samples: Sample[] }
  | { chart: 'costs', arms: ArmResult[], unit: Unit }
  | { chart: 'percentiles', arms: ArmResult[] }
  | { chart: 'chain', hops: ChartHop[] }

/** Hop of a topology. */
export interface ChartHop { title: string, details: string[] }

export interface ChartLine {
  name: string
  points: { x: number, y: number }[]
  /** the first errors */
  end: { x: number, y: number } | null
}
export interface LineAxes {
  /** label */
  x: string
  /** label */
  y: string
  /** whether x is logarithmic, with a tick for each step */
  isStepped?: boolean
  /** whether y is logarithmic */
  isLogY?: boolean
  /** horizontal line with a name */
  mark?: { y: number, name: string }
}
export interface Bar { name: string, value: number, low: number, high: number }
export interface RatioRow {
  name: string
  ratio: number
  /** null: the interval has no lower end */
  low: number | null
  /** null: the interval has no upper end */
  high: number | null
  /** decides symbol and colour */
  look: Verdict
  title: string
  /** left out: no figure was published */
  published?: number
}

/** A figure as a plain number with a direction, for exports that other programs read. */
export interface Metric {
  /** an arm, or a pair of arms: "uds ÷ tcp" */
  subject: string
  /** in lower case with dashes: "cpu-time" */
  measure: string
  unit: string
  better: 'bigger' | 'smaller'
  value: number
  /** end of the interval; null: the figure has no interval, or the interval is open */
  low: number | null
  high: number | null
}

/** A verdict in words, for exports that other programs read. */
export interface Finding {
  /** of the compared figure: "uds ÷ tcp, throughput" */
  name: string
  ratio: number | null
  low: number | null
  high: number | null
  /** the verdict: "slower", "as before" */
  words: string
  /** passed: shown not to be slower; open: undecided; failed: no valid measurement */
  outcome: 'slower' | 'passed' | 'open' | 'failed'
  /** a sentence with the estimate, and the reason where the figure is undecided */
  text: string
}

/** Content of a cell. A verdict is printed in its colour. */
export type Cell = string | { text: string, as: Verdict }

export interface Column<Row> {
  text?: string // heading in a terminal; a column without it is not shown there
  page?: string // heading on the page and in Markdown; a column without it is not shown there
  cell: (row: Row) => Cell
  left?: boolean // aligned left; default: right, for figures
  /** letters in a terminal, also as a function of its columns; default: width of the content, and for names the room
   * that is left */
  width?: number | ((terminal: number) => number)
}

export interface Table<Row> {
  rows: Row[]
  shown?: Row[] // rows in a terminal and in Markdown; default: all
  columns: Column<Row>[] // names first
  names?: number // columns of names, which share the room that figures leave in a terminal; default: 1
  /** text in place of a row's figures, from column `from` (default: 1) on; null: the row has figures */
  instead?: (row: Row) => string | null
  from?: number
  /** length of a bar behind the figures, as a share of the longest; drawn only if there is room */
  bar?: (row: Row) => number
}
