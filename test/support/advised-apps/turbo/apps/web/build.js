// The build of the files: two of them, with a hash in the name of the style sheet.
import { mkdirSync, writeFileSync } from 'node:fs'

mkdirSync('dist/assets', { recursive: true })
writeFileSync('dist/assets/site-4f3a2b1c.css', 'li { padding: 0.25rem 0.5rem; color: #222233; }\n'.repeat(200))
writeFileSync('dist/assets/logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"><circle r="3"/></svg>\n')
