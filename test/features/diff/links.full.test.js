/** Branches with links, which `hopbench diff` checks out without a change outside. */
import t from '../../support/tap.js'
import { testLinks } from '../../support/linked-branches.js'

await testLinks(t, 30, { hasGit: true })
