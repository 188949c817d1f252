/**
 * Tests what one command prints about each first response that cannot be measured: each command about one, and those
 * that start fastest, in a private network and on this machine, about the others. The soak test has all commands.
 */
import t from '../support/tap.js'
import { testFirstResponses } from '../support/first-responses.js'

t.jobs = 2 // Commands wait up to 8 s for a response.

await testFirstResponses(t, (names, i) => [names[i < names.length ? i : i % 2]])
