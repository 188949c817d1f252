/** The questions that people come with, and which arms of which experiment answer them: data. What a sentence says
 * follows from the verdicts of a run, never from here. */
import { ABOUT_APPS } from './about-apps.js'
import { ABOUT_FILES } from './about-files.js'

/** @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {string} experiment that answers it; of a sizing: "size"
 * @property {'pairs' | 'choice' | 'every' | 'recommendation' | 'sizing' | 'ports'} by pairs: the contrasts named;
 * choice: what is ahead of the first one's baseline, level with it, or behind; every: all contrasts, by verdict;
 * recommendation: static servers and what the check found; sizing: instances for rates; ports: local ports for
 * connections to the app
 * @property {[arm: string, baseline: string][]} [pairs] the first is the answer, the others go with it
 * @property {Record<string, string>} [names] of arms, in a sentence
 * @property {{ experiment: string, pairs: [arm: string, baseline: string][], names: Record<string, string> }} [beside]
 * another experiment, whose contrasts go with the answer
 * @property {{ faster: string, slower: string }} [lead] what a verdict of the first pair is as an answer: "Yes"
 * @property {number} [sentences] that make the answer: one, if left out
 * @property {string[]} [costs] arms whose CPU time per request is part of the answer
 * @property {string} [note] what is not measured here
 * @property {string[]} pages of docs/ that say more
 * @property {string} dependsOn what would change the answer
 * @property {string} configuration the recommended topology
 * @property {string} [command] left out: the experiment, and the one beside it */

/** In the order of the page. @type {Question[]} */
export const QUESTIONS = [...ABOUT_FILES, ...ABOUT_APPS]
