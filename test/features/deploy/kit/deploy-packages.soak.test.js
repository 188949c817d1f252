/** Dockerfiles of kits for pnpm and Yarn 1. */
import t from '../../../support/tap.js'
import { testManager } from '../../../support/manager-images.js'

for (const name of ['pnpm', 'yarn 1']) testManager(t, name)
