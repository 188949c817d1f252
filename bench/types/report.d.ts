/** Tables of a report. Each is defined once, and printed in a terminal, on the page and as Markdown. */
import type { Verdict } from './record.d.ts'

/** Content of a cell. A verdict is printed in its colour. */
export type Cell = string | { text: string, as: Verdict }

export interface Column<Row> {
  text?: string // heading in a terminal; a column without it is not shown there
  page?: string // heading on the page and in Markdown; a column without it is not shown there
  cell: (row: Row, i: number) => Cell
  left?: boolean // aligned left; default: right, for figures
  /** letters in a terminal, also as a function of its columns; default: width of the content, and for names the room
   * that is left */
  width?: number | ((terminal: number) => number)
}

export interface Table<Row> {
  rows: Row[]
  columns: Column<Row>[] // names first
  names?: number // columns of names, which share the room that figures leave in a terminal; default: 1
  /** text in place of a row's figures, from column `from` (default: 1) on; null: the row has figures */
  instead?: (row: Row) => string | null
  from?: number
  /** length of a bar behind the figures, as a share of the longest; drawn only if there is room */
  bar?: (row: Row) => number
}
