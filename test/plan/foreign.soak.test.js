/** Properties of foreign records, with 10,000 generated cases each. */
import t from '../support/tap.js'
import { testForeignRecords } from '../support/foreign-records.js'

testForeignRecords(t, 10_000)
