/** Where a deploy kit goes, and what each place does in its own way (pure). Sources are named in docs/deploy.md. */

/** Routers of a platform have addresses that are not routed on the internet: RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

/** @typedef {object} Target
 * @property {string[]} templates of this place, beside those that all have
 * @property {string | null} provider as the plans of `hopbench size` name it; null: any
 * @property {string} run folder for sockets and the like
 * @property {number} port where PORT is not set
 * @property {string[]} routers as in DeployPlace
 * @property {string} clientHeader as in DeployPlace
 * @property {number} drainSeconds for open connections; the place waits longer before it kills
 * @property {string} accessLog
 * @property {boolean} endsTls before the request comes here
 * @property {(names: { kit: string, name: string }) => string[]} next what a person types then; kit: "deploy/" */

/** @type {Record<string, Target>} */
export const TARGETS = {
  docker: {
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'compose.yaml'],
    provider: null,
    run: '/run/app',
    port: 8080,
    routers: [],
    clientHeader: 'X-Forwarded-For',
    drainSeconds: 8, // `docker stop` waits for 10 s.
    accessLog: '/dev/stdout',
    endsTls: false,
    next: ({ kit, name }) => [`docker build -f ${kit}Dockerfile -t ${name} .`, `docker run -p 8080:8080 ${name}`]
  },
  heroku: {
    templates: ['Procfile', 'app.json'],
    provider: 'Heroku',
    run: '/tmp/app',
    port: 5000,
    routers: PRIVATE,
    // The router appends the client's address: the last one is true, whatever stands before it.
    clientHeader: 'X-Forwarded-For',
    drainSeconds: 25,
    accessLog: '/dev/stdout',
    endsTls: true,
    next: ({ kit }) => [
      ...kit ? [`cp ${kit}Procfile ${kit}app.json .`] : [],
      'heroku buildpacks:add heroku/nodejs && heroku buildpacks:add heroku-community/nginx',
      'git push heroku main'
    ]
  },
  render: {
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'render.yaml'],
    provider: 'Render',
    run: '/run/app',
    port: 10000,
    routers: PRIVATE,
    // Cloudflare is in front of Render's own router, and its address would be the last one of X-Forwarded-For.
    clientHeader: 'CF-Connecting-IP',
    drainSeconds: 25,
    accessLog: '/dev/stdout',
    endsTls: true,
    next: ({ kit }) =>
      [...kit ? [`cp ${kit}render.yaml .`] : [], 'commit it, and create a Blueprint from the repository']
  },
  fly: {
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'fly.toml'],
    provider: 'Fly.io',
    run: '/run/app',
    port: 8080,
    routers: PRIVATE,
    clientHeader: 'Fly-Client-IP',
    drainSeconds: 25,
    accessLog: '/dev/stdout',
    endsTls: true,
    next: ({ kit, name }) => [
      `fly apps create ${name}`,
      `fly deploy . --config ${kit}fly.toml --dockerfile ${kit}Dockerfile`
    ]
  },
  systemd: {
    templates: ['unit.service'],
    provider: null,
    run: '/run/NAME',
    port: 80,
    routers: [],
    clientHeader: 'X-Forwarded-For',
    drainSeconds: 25,
    // Its output is a socket, which nginx cannot open by a path.
    accessLog: 'syslog:server=unix:/dev/log',
    endsTls: false,
    next: ({ kit, name }) => [
      `copy this folder to /srv/${name} on the server, with its packages, Node on root's PATH, and nginx`,
      `sudo cp /srv/${name}/${kit}${name}.service /etc/systemd/system/`,
      `sudo systemctl enable --now ${name}`
    ]
  }
}
