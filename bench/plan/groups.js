/** The questions that experiments answer, in the order in which "hopbench list" shows them: what an experiment's
 * `group` may be. */
export const GROUPS = {
  proxy: 'Which proxy, and which way to the app?',
  cache: 'What does a cache gain, and what does it get right?',
  files: 'Who serves files?',
  runtime: 'Which runtime?',
  processes: 'How many processes?',
  load: 'How many connections and users does it hold, and how long do they wait?',
  tls: 'What does HTTPS cost?',
  compression: 'What does compression cost?',
  settings: 'Which settings matter?',
  other: 'Other questions'
}
