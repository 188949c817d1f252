/** Generates the commented experiment that `hopbench init` writes (pure). */

/**
 * @param {{ commands: Record<string, string>, listen: string, path: string, method?: string }} app commands: by the
 *   names of the apps
 * @param {{ run: string, commonJs?: boolean }} file run: command that runs the file; commonJs: it is no ES module
 * @returns {string} text of a module
 */
export function firstExperiment ({ commands, listen, path, method }, { run, commonJs = false }) {
  const names = Object.keys(commands)
  const arms = names.length > 1 ? names.map(name => [name, name]) : toArms(names[0], listen)
  const question = names.length > 1
    ? `How do ${names.slice(1).join(' and ')} compare with ${names[0]}?`
    : 'What does nginx in front of this app cost?'
  const servers = Object.entries(commands).map(([name, command]) => `    ${toKey(name)}: {
      command: ${toLiteral(command)},
      listen: ${toLiteral(listen)}
    }`)
  return `// ${question} Run it with:
//   ${run}
${commonJs ? 'module.exports =' : 'export default'} {
  question: ${toLiteral(question)},

  // Servers are commands. Each must listen on $PORT or $SOCKET, which hopbench sets, and stay in the foreground.
  servers: {
${servers.join(',\n')}
  },

  // Name: topology, with a slash between hops. The first is the baseline. The URL of a running app is a topology, too.
  arms: {
${arms.map(([name, spec]) => `    ${toKey(name)}: ${toLiteral(spec)}`).join(',\n')}
  },

  // Pairs to compare. By default, each arm is compared with the first.
  contrasts: [${arms.slice(1).map(([name]) => `[${toLiteral(name)}, ${toLiteral(arms[0][0])}]`).join(', ')}],

  // The request. Values of headers such as Authorization, and bodies, are never stored.
  load: {
    connections: 100,
    path: ${toLiteral(path)}${method && method !== 'GET' ? `,\n    method: ${toLiteral(method)}` : ''}
    // headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
    // body: { hello: 'world' },
    // If responses differ, e.g. by a time: ignoreBody: '"now":"[^"]*"', or compare: ['status', 'length'].
  }
}
`
}

/**
 * Returns the arms of one app: alone, and behind nginx over each transport that it supports.
 *
 * @param {string} app
 * @param {string} listen
 */
function toArms (app, listen) {
  const ways = listen.split(',').map(way => way.trim())
  const hasTcp = ways.some(way => way !== '$SOCKET')
  return [
    ['alone', app],
    ...hasTcp ? [['tcp', `nginx:tcp/${app}`], ['keepalive', `nginx:keepalive/${app}`]] : [],
    ...ways.includes('$SOCKET') ? [['uds', `nginx:uds/${app}`], ['uds-keepalive', `nginx:uds-keepalive/${app}`]] : []
  ]
}

/** @param {string} name */
const toKey = name => /^\w+$/.test(name) ? name : toLiteral(name)

/** @param {string} text */
const toLiteral = text => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`
