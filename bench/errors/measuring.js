/** What makes a measurement impossible once everything is up. */

/** @satisfies {Record<string, import('../types.d.ts').ErrorEntry>} */
export const measuring = {
  'gate-refused': {
    exit: 1,
    /** @param {{ name: string, why: string }} d */
    what: d => `${d.name} does not answer what it should: ${d.why}.`,
    remedy: () => 'Arms that answer differently cannot be compared; ask it by hand with: npm run hopbench -- up <topology>'
  },
  'engine-report': {
    exit: 1,
    /** @param {{ name: string, arm: string, why?: string | null }} d */
    what: d => `The report of ${d.name} for ${d.arm} cannot be ${d.why ? `right: ${d.why}` : 'read'}.`,
    remedy: () => 'Its output is above; its version may be one that hopbench does not know. Try another with --engine.'
  }
}
