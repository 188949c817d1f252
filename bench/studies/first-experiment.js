/** The experiment that `hopbench init` writes: one that works, with a comment at each part (pure). */

/**
 * @param {{ command: string, listen: string, path: string, method?: string }} app
 * @returns {string} a module
 */
export function firstExperiment ({ command, listen, path, method }) {
  const ways = listen.split(',').map(way => way.trim())
  const hasSocket = ways.includes('$SOCKET')
  const hasTcp = ways.some(way => way !== '$SOCKET')
  const arms = [
    ['alone', 'app'],
    ...hasTcp ? [['tcp', 'nginx:tcp/app'], ['keepalive', 'nginx:keepalive/app']] : [],
    ...hasSocket ? [['uds', 'nginx:uds/app'], ['uds-keepalive', 'nginx:uds-keepalive/app']] : []
  ]
  return `// What does a proxy in front of this app cost? Run it with: hopbench run ./compare.js --quick
export default {
  question: 'What does nginx in front of this app cost?',

  // Servers are commands. $PORT or $SOCKET is set for each of them; it must listen there, and stay in the foreground.
  servers: {
    app: {
      command: ${quote(command)},
      listen: ${quote(listen)}
    }
  },

  // Name: topology, a slash for each hop. The first is the baseline. A URL of what is up already is one, too.
  arms: {
${arms.map(([name, word]) => `    ${/^\w+$/.test(name) ? name : quote(name)}: ${quote(word)}`).join(',\n')}
  },

  // What is answered; leave it out, and all are compared with the first.
  contrasts: [${arms.slice(1).map(([name]) => `[${quote(name)}, 'alone']`).join(', ')}],

  // Every request is this one. Values of headers such as Authorization, and bodies, are never stored.
  load: {
    connections: 100,
    path: ${quote(path)}${method && method !== 'GET' ? `,\n    method: ${quote(method)}` : ''}
    // headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
    // body: { hello: 'world' },
    // What varies in answers by nature: ignoreBody: '"now":"[^"]*"', or compare: ['status', 'length'].
  }
}
`
}

/** @param {string} text */
const quote = text => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`
