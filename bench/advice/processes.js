// How many processes of the app does an instance run?

/** @import { Rule } from '../types.js' */

export default /** @satisfies {Rule} */ ({
  about: { title: 'processes', question: 'How many processes of the app does an instance run?' },
  order: 50,

  // A command starts its processes itself, so that no topology with another number can be compared.
  needs: () => [],

  decide ({ facts, sizing }) {
    if (sizing?.processes === 1) {
      return {
        decision: 'do-not',
        text: `No second process on an instance of ${sizing.offering}.`,
        because: { fact: `It has ${sizing.cores ?? 'an unknown number of'} vCPU and room for one process.` },
        changes: (sizing.cores ?? 1) < 2 ? 'An offering with two vCPU or more.' : 'An offering with more memory.'
      }
    }
    const cores = facts.machine.servedCores
    return {
      decision: 'open',
      text: sizing?.processes
        ? `${sizing.processes} processes fit on an instance of ${sizing.offering}; their gain is not measured.`
        : 'The number of processes depends on the cores of an instance.',
      because: { fact: `The app had ${cores === 1 ? 'one core' : `${cores} cores`} here.` },
      changes: 'A command that starts several processes, compared with this one by hopbench run with two --app, ' +
        'on a machine with three cores or more.'
    }
  }
})
