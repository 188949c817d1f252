/** Tests what one command prints about each first response that cannot be measured. The soak test has all commands. */
import t from '../support/tap.js'
import { testFirstResponses } from '../support/first-responses.js'

await testFirstResponses(t, (names, i) => [names[i % names.length]])
