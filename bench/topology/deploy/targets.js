/** Platforms of deploy kits with their settings (pure). Sources: docs/deploy.md. */

/** Networks of a platform's routers, which the internet does not route: RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

/** @typedef {object} Target
 * @property {string[]} templates of this platform, besides those of all platforms
 * @property {string | null} provider its name in the offerings of `hopbench size`; null: any
 * @property {string} run folder for sockets
 * @property {number} port default of PORT
 * @property {string[]} routers as in DeployPlace
 * @property {string} clientHeader as in DeployPlace
 * @property {number} drainSeconds time for open connections, shorter than the platform's own limit
 * @property {string} accessLog
 * @property {boolean} endsTls whether the platform's router terminates TLS
 * @property {(names: { kit: string, name: string }) => string[]} next commands to deploy the kit; kit: "deploy/"
 */

/** Settings of a server without a router in front. */
const OWN_SERVER = {
  provider: null,
  routers: [],
  clientHeader: 'X-Forwarded-For',
  drainSeconds: 25,
  accessLog: '/dev/stdout',
  endsTls: false
}
/** Settings of a platform with a router in front, which terminates TLS. */
const PLATFORM = { ...OWN_SERVER, routers: PRIVATE, endsTls: true }

/** @type {Record<string, Target>} */
export const TARGETS = {
  docker: {
    ...OWN_SERVER,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'compose.yaml'],
    run: '/run/app',
    port: 8080,
    drainSeconds: 8, // Below the 10 s of `docker stop`.
    next: ({ kit, name }) => [`docker build -f ${kit}Dockerfile -t ${name} .`, `docker run -p 8080:8080 ${name}`]
  },
  heroku: {
    ...PLATFORM,
    templates: ['Procfile', 'app.json'],
    provider: 'Heroku',
    run: '/tmp/app',
    port: 5000,
    // In X-Forwarded-For the last address is authentic, because the router appends the client's address.
    next: ({ kit }) => [
      ...kit ? [`cp ${kit}Procfile ${kit}app.json .`] : [],
      'heroku buildpacks:add heroku/nodejs && heroku buildpacks:add heroku-community/nginx',
      'git push heroku main'
    ]
  },
  render: {
    ...PLATFORM,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'render.yaml'],
    provider: 'Render',
    run: '/run/app',
    port: 10000,
    // Not X-Forwarded-For, in which the last address is that of Cloudflare, in front of Render's router.
    clientHeader: 'CF-Connecting-IP',
    next: ({ kit }) =>
      [...kit ? [`cp ${kit}render.yaml .`] : [], 'commit it, and create a Blueprint from the repository']
  },
  fly: {
    ...PLATFORM,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'fly.toml'],
    provider: 'Fly.io',
    run: '/run/app',
    port: 8080,
    clientHeader: 'Fly-Client-IP',
    next: ({ kit, name }) => [
      `fly apps create ${name}`,
      `fly deploy . --config ${kit}fly.toml --dockerfile ${kit}Dockerfile`
    ]
  },
  systemd: {
    ...OWN_SERVER,
    templates: ['unit.service'],
    run: '/run/NAME',
    port: 80,
    // Not /dev/stdout, which is a socket under systemd that nginx cannot open by its path.
    accessLog: 'syslog:server=unix:/dev/log',
    next: ({ kit, name }) => [
      `copy this folder to /srv/${name} on the server, with its packages, Node on root's PATH, and nginx`,
      `sudo cp /srv/${name}/${kit}${name}.service /etc/systemd/system/`,
      `sudo systemctl enable --now ${name}`
    ]
  }
}
