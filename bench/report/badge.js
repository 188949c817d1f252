/** Badges: the response of an endpoint of shields.io (https://shields.io/badges/endpoint-badge), and SVG (pure). */
import stringWidth from 'string-width'
import { htmlTemplate } from './templates.js'

/** @typedef {{ message: string, color: 'brightgreen' | 'yellow' | 'orange' | 'red' | 'lightgrey' }} Badge */

const LABEL = 'hopbench'
const LETTER = 7 // Width of a letter in the SVG, in pixels. The texts are stretched to it, independent of the font.
const SPACE = 10 // On both sides of a text together, in pixels.
/** Colours of shields.io that leave white letters a contrast of 4.5. */
const FILLS = { brightgreen: '#2b7a0b', yellow: '#806000', orange: '#a34a00', red: '#b3261e', lightgrey: '#666' }

const template = htmlTemplate('badge.hbs')

/** @param {Badge} badge */
export const shieldsBadge = badge => `${JSON.stringify({ schemaVersion: 1, label: LABEL, ...badge }, null, 2)}\n`

/**
 * Draws a badge.
 * @param {Badge} badge
 * @returns {string} SVG
 */
export function svgBadge ({ message, color }) {
  const texts = [LABEL, message]
  const lengths = texts.map(text => stringWidth(text) * LETTER)
  const [left, right] = lengths.map(length => length + SPACE)
  return template({
    title: texts.join(': '),
    width: left + right,
    left,
    parts: [
      { text: LABEL, x: left / 2, length: lengths[0] },
      { text: message, x: left + right / 2, length: lengths[1] }
    ],
    fill: FILLS[color]
  })
}
