/** Renames the fields of a sizing that was stored with the names of older versions (pure). */

/** @import { Offering, PriceRow, RunRecord, Sizing, Verification } from '../types.js' */

/**
 * Returns a record whose sizing, if any, has the field names of today.
 *
 * @param {RunRecord} record as stored
 * @returns {RunRecord}
 */
export function renameOldFields (record) {
  return record.sizing ? { ...record, sizing: renameInSizing(record.sizing) } : record
}

/**
 * @param {Sizing} sizing
 * @returns {Sizing}
 */
const renameInSizing = sizing => ({
  ...sizing,
  table: sizing.table.map(renameInRow),
  verification: sizing.verification && renameInVerification(sizing.verification),
  ...sizing.refuted && { refuted: sizing.refuted.map(renameInVerification) }
})

/**
 * @param {PriceRow | Omit<PriceRow, 'offering'> & { plan: Omit<Offering, 'name'> & { plan: string } }} row
 * @returns {PriceRow}
 */
function renameInRow (row) {
  if (!('plan' in row)) return { ...withTotal(row), offering: renameAssumed(row.offering) }
  const { plan: { plan: name, ...offering }, ...rest } = row
  return { offering: renameAssumed({ ...offering, name }), ...withTotal(rest) }
}

/**
 * Adds the total, which older versions left out.
 *
 * @template {Pick<PriceRow, 'monthly' | 'egress' | 'total'>} Row
 * @param {Row} row
 */
function withTotal (row) {
  const { monthly, egress = null, total } = row
  if (total !== undefined) return row
  return { ...row, total: monthly === null || egress === null ? null : monthly + egress }
}

/**
 * Replaces an assumed CPU, which was one number, by a range of that number.
 *
 * @param {Offering} offering
 * @returns {Offering}
 */
function renameAssumed ({ assumed, ...offering }) {
  if (!assumed) return offering
  if (!('vcpu' in assumed)) return { ...offering, assumed }
  const { vcpu, why } = /** @type {{ vcpu: number, why: string }} */ (/** @type {unknown} */ (assumed))
  return { ...offering, assumed: { low: vcpu, high: vcpu, why } }
}

/**
 * @param {Verification | Omit<Verification, 'offering'> & { plan: string }} verification
 * @returns {Verification}
 */
function renameInVerification (verification) {
  if (!('plan' in verification)) return verification
  const { plan: offering, ...rest } = verification
  return { offering, ...rest }
}
