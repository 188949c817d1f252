/** Branches with links, with 10,000 generated cases. */
import t from '../../support/tap.js'
import { testLinks } from '../../support/linked-branches.js'

await testLinks(t, 10_000)
