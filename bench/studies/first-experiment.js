/** Generates the commented experiment that `hopbench init` writes (pure). */

/**
 * @param {{ command: string, listen: string, path: string, method?: string }} app
 * @returns {string} text of a module
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

  // Servers are commands. Each must listen on $PORT or $SOCKET, which hopbench sets, and stay in the foreground.
  servers: {
    app: {
      command: ${quote(command)},
      listen: ${quote(listen)}
    }
  },

  // Name: topology, with a slash between hops. The first is the baseline. The URL of a running app is a topology, too.
  arms: {
${arms.map(([name, word]) => `    ${/^\w+$/.test(name) ? name : quote(name)}: ${quote(word)}`).join(',\n')}
  },

  // Pairs to compare. By default, each arm is compared with the first.
  contrasts: [${arms.slice(1).map(([name]) => `[${quote(name)}, 'alone']`).join(', ')}],

  // The request. Values of headers such as Authorization, and bodies, are never stored.
  load: {
    connections: 100,
    path: ${quote(path)}${method && method !== 'GET' ? `,\n    method: ${quote(method)}` : ''}
    // headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
    // body: { hello: 'world' },
    // If responses differ, e.g. by a time: ignoreBody: '"now":"[^"]*"', or compare: ['status', 'length'].
  }
}
`
}

/** @param {string} text */
const quote = text => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`
