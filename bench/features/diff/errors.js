/** Errors of `hopbench diff`: refs, folders, and the two states of an app. */
import { didYouMean, readOutput, shellWord } from '../../errors/words.js'

/** @import { ErrorEntry, Nearest } from '../../errors/words.js' */

/**
 * Returns the line that brings a ref into a shallow clone.
 *
 * @param {string} name of the ref, as typed
 */
function toFetch (name) {
  // Notations that start from another commit (gitrevisions(7)) are no names that origin has.
  if (/[\^~:]|@\{/.test(name)) {
    return 'This clone is shallow, so fetch the commits before its oldest ones: git fetch --deepen=1 origin (in ' +
      'GitHub Actions: fetch-depth: 2), or more for an older commit'
  }
  const branch = name.replace(/^origin\//, '')
  return `This clone is shallow, so fetch the ref: git fetch --depth=1 origin ${shellWord(branch)}:${
    shellWord(`refs/remotes/origin/${branch}`)}`
}

/** @satisfies {Record<string, ErrorEntry>} */
export const diff = {
  'no-repository': {
    exit: 2,
    what: (/** @type {{ folder: string, why: string }} */ d) => `${d.folder} is in no git repository: ${d.why}.`,
    remedy: (/** @type {{ output?: string | null }} */ d) =>
      `${d.output ? 'Do as git prints above' : 'Start the command in a repository'}, or name two folders, as in ` +
      './before ./after.'
  },
  'unknown-ref': {
    exit: 2,
    what: (/** @type {{ name: string, folder: string } & Nearest} */ d) =>
      `"${d.name}" is neither a git ref in ${d.folder} nor a folder.${didYouMean(d)}`,
    remedy: (/** @type {{ name: string, isShallow: boolean }} */ d) =>
      d.isShallow ? toFetch(d.name) : 'Choose a name from the output of: git branch --all; git tag'
  },
  'no-merge-base': {
    exit: 2,
    what: (/** @type {{ first: string, second: string }} */ d) =>
      `This clone has no commit that ${d.first} and ${d.second} have in common.`,
    remedy: (/** @type {{ first: string, isShallow: boolean }} */ d) => d.isShallow
      ? 'This clone is shallow, so fetch the rest of its history: git fetch --unshallow origin'
      : `Compare with its last commit: npm run hopbench -- diff ${shellWord(d.first)}`
  },
  'git-failed': {
    what: (/** @type {{ purpose: string }} */ d) => `git could not ${d.purpose}.`,
    remedy: (/** @type {{ output?: string | null }} */ d) => `${readOutput(d)}; run git status in the repository.`
  },
  'linked-checkout': {
    what: (/** @type {{ name: string, label: string, link: string }} */ d) =>
      `${d.name} (${d.label}) has a link at ${d.link} that leads outside of its checkout.`,
    remedy: (/** @type {{ link: string }} */ d) =>
      `Remove the link from the commit: git rm --cached ${shellWord(d.link)}; or, if no package manager enters its ` +
      "folder, name the installation, as in --install 'npm ci'."
  },
  'no-manager': {
    exit: 2,
    what: (/** @type {{ lock: string, name: string, label: string, manager: string }} */ d) =>
      `${d.lock} of ${d.name} (${d.label}) is installed by ${d.manager}, which is not on this machine.`,
    remedy: (/** @type {{ remedy: string }} */ d) => `${d.remedy}, or name another command with --install.`
  },
  'no-packages': {
    exit: 2,
    what: (/** @type {{ name: string, folder: string }} */ d) =>
      `The packages of ${d.name} are not installed in ${d.folder}, and hopbench installs none in your folders.`,
    remedy: (/** @type {{ command: string }} */ d) => `Install them there: ${d.command}`
  },
  'side-failed': {
    what: (/** @type {{ name: string, label: string, how: string }} */ d) => `${d.name} (${d.label}) ${d.how}.`,
    remedy: (/** @type {{ output?: string | null }} */ d) =>
      `${d.output?.trim() ? 'Read its last lines above, or name' : 'Name'} other commands with ` +
      '--install, --build or --app.'
  }
}
