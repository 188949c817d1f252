/** Errors of programs and their networks that do not start, or end too early. */
import { readOutput } from './words.js'

/** @import { ErrorEntry, Remedied } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const starting = {
  'start-failed': {
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} could not be started: ${d.why}.`,
    remedy: 'Check which programs are missing on this machine with: npm run hopbench -- doctor'
  },
  'process-died': {
    what: (/** @type {{ name: string, how: string }} */ d) => `${d.name} ${d.how}.`,
    remedy: (/** @type {{ output?: string | null } & Remedied} */ d) =>
      d.remedy ?? `${readOutput(d)}; find its whole log in the folder of the run under results/.`
  },
  'not-ready': {
    /**
     * @param {{ name: string, seconds: number, unopened?: '$PORT' | '$SOCKET' }} d unopened: variable with the address
     * on which an app does not listen
     */
    what: d => {
      if (!d.unopened) return `${d.name} was not ready within ${d.seconds} s.`
      const address = d.unopened === '$PORT' ? 'port' : 'socket'
      return `${d.name} opened no ${address} within ${d.seconds} s: does it read ${d.unopened}?`
    },
    /** @param {{ output?: string | null, unopened?: string } & Remedied} d */
    remedy: d => {
      if (d.remedy) return d.remedy
      if (!d.unopened) return `${readOutput(d)}; try again when the machine is less busy.`
      const action = d.output?.trim() ? 'Read its last lines above, and let' : 'Let'
      return `${action} it listen on ${d.unopened}, or allow more time with --ready-within.`
    }
  },
  'proxy-refused': {
    what: (/** @type {{ name: string }} */ d) => `${d.name} rejects its configuration.`,
    remedy: (/** @type {{ output?: string | null }} */ d) =>
      `${readOutput(d)}; check the options of the topology, and the template in the folder proxy/, for this version.`
  },
  'config-value': {
    exit: 2,
    /** @param {{ what: string, value: string, program: string, why: string }} d */
    what: d => `${d.what} cannot be ${JSON.stringify(d.value)} in the configuration of ${d.program}: ${d.why}.`,
    remedy: 'Use a value without such characters; for a path, for example, a symbolic link with another name.'
  },
  'certificate-failed': {
    what: (/** @type {{ kind: string, dir: string, why: string }} */ d) =>
      `The ${d.kind} certificate could not be created in ${d.dir}: ${d.why}.`,
    remedy: 'Choose another kind (+tls=rsa2048, rsa4096 or ecdsa-p256), or set TMPDIR to a folder that can be written.'
  },
  'module-missing': {
    /**
     * @param {{ program: string, files: string[], folder: string | null, spec: string }} d folder: of its modules;
     * null: unknown
     */
    what: d =>
      `${d.program} has no ${d.files.join(', ')}${d.folder ? ` in ${d.folder}` : ''}, which ${d.spec} requires.`,
    remedy: (/** @type {{ folder: string | null }} */ d) =>
      d.folder
        ? 'Install the package that contains it, or leave out the option that requires it.'
        : 'Install the program from its package, because its folder of modules was not found.'
  },
  'no-port': {
    what: (/** @type {{ from: number, to: number, address: string }} */ d) =>
      `None of the TCP ports from ${d.from} to ${d.to} is free on ${d.address}.`,
    remedy: 'Stop programs that hold many ports, or wait a minute until their connections have left TIME_WAIT.'
  },
  'port-in-use': {
    /** @param {{ what: string, holder?: string | null }} d what: "Port 8080", or a Unix socket with its path */
    what: d => `${d.what} is in use by ${d.holder ?? 'another program'}.`,
    remedy: 'Stop that program, or choose another port.'
  },
  'lab-failed': {
    what: (/** @type {{ name: string }} */ d) => `The private network for ${d.name} could not be created.`,
    remedy:
      'Add --no-lab, or leave out --lab of hopbench up. Check what this machine allows with: npm run hopbench -- ' +
      'doctor'
  },
  'lab-needed': {
    /** @param {{ name: string, what: string }} d what: settings and options */
    what: d => `${d.name} requires ${d.what}, which only a private network has, and there is none.`,
    remedy: 'Leave out --no-lab, and allow user namespaces on Linux. Check them with: npm run hopbench -- doctor'
  },
  'bad-sysctl': {
    what: (/** @type {{ name: string, value: string, why: string }} */ d) =>
      `The kernel setting ${JSON.stringify(`${d.name}=${d.value}`)} is invalid: ${d.why}.`,
    remedy: 'Correct it in the experiment, or in the plan of the stored run, as in net.ipv4.tcp_tw_reuse=1.'
  }
}
