/** What a command prints about each first response that cannot be measured. All commands: the soak test. */
import t from '../support/tap.js'
import { testFirstResponses } from '../support/first-responses.js'

await testFirstResponses(t, (names, i) => [names[i % names.length]])
