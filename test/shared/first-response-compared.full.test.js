/** What run, diff and advise print about first responses that cannot be measured. */
import t from '../support/tap.js'
import { testFirstResponses } from '../support/first-responses.js'

await testFirstResponses(t, ['run', 'diff', 'advise'])
