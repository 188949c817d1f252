// Answers as it should, but for one path, which leads elsewhere.
import { readFileSync } from 'node:fs'

/** @import { RequestListener } from 'node:http' */

const page = readFileSync(new URL(import.meta.url))

/** @type {RequestListener} */
export default (req, res) => {
  if (req.url === '/old') res.writeHead(302, { Location: '/page.html' }).end()
  else res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length }).end(page)
}
