/** Tables of a report: each defined once, and printed in a terminal, on the page and as Markdown. */
import type { Verdict } from './record.d.ts'

/** What stands in a cell; a verdict has a colour. */
export type Cell = string | { verdict: string, as: Verdict }

export interface Column<Row> {
  text?: string // heading in a terminal; left out: the column is not shown there
  page?: string // heading on the page and in Markdown; left out: likewise
  cell: (row: Row, at: number) => Cell
  left?: boolean // figures are on the right, which is the default
  /** letters in a terminal, also by how many columns that has; left out: as wide as what stands in it, and of names
   * what room there is */
  width?: number | ((terminal: number) => number)
}

export interface Table<Row> {
  rows: Row[]
  columns: Column<Row>[] // the first is one of names
  names?: number // how many columns are names in a terminal, and share the room that figures leave; left out: one
  /** what a row has there in place of its figures, from the column `from` (1) on; null: it has figures */
  instead?: (row: Row) => string | null
  from?: number
  /** a bar behind the figures, where there is room: its share of the longest; names take less room then */
  bar?: (row: Row) => number
}
