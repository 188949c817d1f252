/** Tests what each command prints about each first response that cannot be measured. */
import t from '../support/tap.js'
import { testFirstResponses } from '../support/first-responses.js'

await testFirstResponses(t, names => names)
