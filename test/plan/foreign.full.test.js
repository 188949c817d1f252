/** Properties of foreign records with the cases of CI. With more cases: test/plan/foreign.soak.test.js. */
import t from '../support/tap.js'
import { testForeignRecords } from '../support/foreign-records.js'

testForeignRecords(t, 30)
