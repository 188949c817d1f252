/** Types of the feature deploy. */

/** A directive that only one of two configurations has. */
export interface ConfigChange {
  only: 'measured' | 'recommended'
  text: string
}

/** Directives that differ for one reason. */
export interface ConfigDifference {
  name: string // first words of the directives
  measured: string[]
  recommended: string[]
  reason: string | null // null: not written down
}

export interface ConfigExplanation {
  title: string // of the program
  differences: ConfigDifference[]
}
