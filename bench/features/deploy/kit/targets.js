/**
 * Platforms of deploy kits with their settings, and where TLS ends in front of an app (pure). Sources: docs/deploy.md.
 */

import { shellWord } from '../../../errors.js'

/** @import { BuildSecret } from './types.js' */

/** Networks of a platform's routers, which the internet does not route: RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

/** @typedef {object} Target
 * @property {string[]} templates of this platform, besides those of all platforms
 * @property {string | null} provider its name in the offerings of `hopbench size`; null: any
 * @property {string} run folder for sockets
 * @property {number} port default of PORT
 * @property {number} httpPort default of HTTP_PORT, on which nginx redirects to HTTPS if it terminates TLS
 * @property {string[]} routers as in DeployPlace
 * @property {string} clientHeader as in DeployPlace
 * @property {number} drainSeconds time for open connections, shorter than the platform's own limit
 * @property {string} accessLog
 * @property {number} keepAliveSeconds as in DeployPlace: longer than the router keeps idle connections
 * @property {number} routerIdleSeconds time for which the router, or a usual load balancer, keeps idle connections
 * @property {boolean} [isIdleKnown] whether the provider documents this time; left out: it is assumed
 * @property {boolean} hasOwnCores as in DeployPlace
 * @property {boolean} endsTls whether the platform's router terminates TLS
 * @property {string} [whyNoBuilds] why the kit cannot keep files of earlier builds; left out: it can
 * @property {(kit: NextFacts) => string[]} next commands to deploy the kit
 * @property {(kit: NextFacts) => string[]} rollout commands to replace the app by its next build
 */

/** @typedef {object} NextFacts
 * @property {string} kit "deploy/"
 * @property {string} name
 * @property {boolean} nginx whether nginx is part of the kit
 * @property {boolean} node whether the app needs Node
 * @property {boolean} brotli whether nginx needs the modules of Brotli
 * @property {boolean} compresses whether files are compressed ahead of time
 * @property {boolean} tls whether nginx ends TLS
 * @property {number | null} instances null: unknown
 * @property {string | null} plan name of the offering at its provider; null: unknown
 * @property {string[]} buildpacks of Heroku for the app
 * @property {string} dockerfile relative to the project
 * @property {boolean} hasImage whether the image of the app is built from a Dockerfile of the project
 * @property {string | null} build command that builds the app
 * @property {BuildSecret[]} secrets settings that only the build gets
 * @property {string[]} units files of systemd's units, that of the app first
 * @property {boolean} isCreated whether the app exists on the platform
 * @property {boolean} keepsBuilds whether the files of earlier builds are kept
 * @property {boolean} followsApp whether nginx, in a container of its own, follows the app to the next container
 * @property {CloudRun | null} cloudRun null: no offering of Google Cloud Run was sized
 */

/** @typedef {object} CloudRun
 * @property {number} concurrency most requests in flight of an instance
 * @property {number} vcpu
 * @property {number} memoryMiB
 */

/** Settings of a server without a router in front. Platforms take over what they do not replace. */
const OWN_SERVER = {
  provider: null,
  run: '/run/app',
  port: 8080,
  httpPort: 80,
  routers: [],
  clientHeader: 'X-Forwarded-For',
  drainSeconds: 25,
  accessLog: '/dev/stdout',
  keepAliveSeconds: 75,
  routerIdleSeconds: 60, // The default of most clouds' load balancers.
  hasOwnCores: false,
  endsTls: false
}
/** Settings of a platform with a router in front, which terminates TLS. */
const PLATFORM = { ...OWN_SERVER, routers: PRIVATE, endsTls: true }

/** Packages of Debian. */
const BROTLI_MODULES = 'libnginx-mod-http-brotli-filter and libnginx-mod-http-brotli-static'

/** Mounts the certificate and its key into a container. */
const SITE_FILES = ['pem', 'key'].map(end => `-v "$PWD/site.${end}:/run/secrets/site.${end}:ro"`).join(' ')

/**
 * Returns the commands that run the image of a kit on Google Cloud Run, billed by instance as in the estimate.
 * @param {NextFacts} facts
 */
const toCloudRunCommands = ({ name, instances, cloudRun }) => cloudRun
  ? [
      `docker tag ${name} "$IMAGE" && docker push "$IMAGE"`,
      [`gcloud run deploy ${name} --image "$IMAGE" --port 8080 --concurrency ${cloudRun.concurrency}`,
        `--cpu ${cloudRun.vcpu} --memory ${cloudRun.memoryMiB}Mi --no-cpu-throttling`,
        ...instances ? [`--max-instances ${instances}`] : []].join(' ')
    ]
  : []

/** Returns the command of Docker Compose. @param {Pick<NextFacts, 'name' | 'kit'>} facts */
const toCompose = ({ name, kit }) => `docker compose -p ${name} -f ${kit}compose.yaml`

/**
 * Returns the commands that build and run the image of a kit.
 * @param {NextFacts} facts
 */
const toDockerCommands = ({ kit, name, tls, secrets, keepsBuilds }) => [
  // Without BuildKit, Docker before version 23 ignores the kit's Dockerfile.dockerignore.
  ['DOCKER_BUILDKIT=1 docker build',
    ...secrets.map(({ id, file }) => `--secret id=${id},${file === null ? `env=${id}` : `src=${file}`}`),
    `-f ${kit}Dockerfile -t ${name} .`].join(' '),
  ['docker run', `-p ${tls ? `443:8080 -p 80:8081 ${SITE_FILES}` : '8080:8080'}`,
    ...keepsBuilds ? [`-v ${name}-builds:/var/lib/app`] : [], name].join(' ')
]

/** Comments on a rollout that stops the only container first. */
const STOP_AND_START = [
  '# Requests fail from the stop of the only container to the next start. To avoid this with a load balancer:',
  '# start the next one on another port, wait until it is healthy, switch, and stop the old one'
]

/** Returns the commands that replace the only container. @param {NextFacts} facts */
function toRestart (facts) {
  if (facts.hasImage) return [`${toCompose(facts)} up --build -d`]
  const [build, run] = toDockerCommands(facts)
  return [build, `docker stop $(docker ps -q --filter publish=${facts.tls ? 443 : 8080})`, run]
}

/**
 * Returns the commands that start a second container of the app, which nginx follows, before the first one stops.
 * @param {NextFacts} facts
 */
const toComposeRollout = facts => [
  `old=$(${toCompose(facts)} ps -q app)`,
  `${toCompose(facts)} build app`,
  `${toCompose(facts)} up -d --wait --no-deps --no-recreate --scale app=2 app`,
  'docker stop $old && docker rm $old'
]

/**
 * Returns the command that deploys a kit to Fly.io.
 * @param {Pick<NextFacts, 'kit' | 'dockerfile' | 'secrets'>} facts
 */
const toFlyDeploy = ({ kit, dockerfile, secrets }) => [
  `fly deploy . --config ${kit}fly.toml --dockerfile ${dockerfile}`,
  ...secrets.map(({ id, file }) => `--build-secret ${id}="${file === null ? `$${id}` : `$(cat ${file})`}"`)
].join(' ')

/** Returns whether a kit for Heroku changes package.json. @param {Pick<NextFacts, 'compresses' | 'node'>} facts */
const changesManifest = ({ compresses, node }) => compresses && node

/**
 * Returns how the files are compressed on Heroku, which runs a script of package.json after the installation.
 * @param {string} kit
 * @param {boolean} node
 */
const toHerokuBuild = (kit, node) => node
  ? `add to the scripts of package.json: "heroku-postbuild": "npm run build --if-present && sh ${kit}compress.sh"`
  : `sh ${kit}compress.sh, and commit the files that it writes`

/**
 * Returns how the project gets to a server.
 * @param {Pick<NextFacts, 'name' | 'build'>} facts
 */
const toCopy = ({ name, build }) =>
  ['copy this folder', ...build === null ? [] : [`built by ${shellWord(build)},`], `to /srv/${name}`].join(' ')

/** @type {Record<string, Target>} */
export const TARGETS = {
  docker: {
    ...OWN_SERVER,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'compose.yaml'],
    httpPort: 8081, // An ordinary user may listen on it in every container.
    drainSeconds: 6, // With the 3 s of the app below the 10 s of `docker stop`.
    next: facts => facts.hasImage
      ? [`${toCompose(facts)} up --build`]
      // The router of Cloud Run ends TLS.
      : [...toDockerCommands(facts), ...facts.tls ? [] : toCloudRunCommands(facts)],
    rollout: facts => facts.followsApp ? toComposeRollout(facts) : [...STOP_AND_START, ...toRestart(facts)]
  },
  heroku: {
    ...PLATFORM,
    templates: ['Procfile', 'app.json'],
    provider: 'Heroku',
    keepAliveSeconds: 95,
    routerIdleSeconds: 90, // Heroku, Router 2.0 keepalives.
    isIdleKnown: true,
    run: '/tmp/app',
    port: 5000,
    // In X-Forwarded-For the last address is authentic, because the router appends the client's address.
    next: ({ kit, name, nginx, buildpacks, ...facts }) => [
      ...kit ? [`cp ${kit}Procfile ${kit}app.json .`] : [],
      ...facts.compresses ? [toHerokuBuild(kit, facts.node)] : [],
      `heroku create ${name}`,
      ...facts.secrets.flatMap(({ id, file }) => file === null ? [`heroku config:set ${id}="$${id}"`] : []),
      ...buildpacks.map(buildpack => `heroku buildpacks:add ${buildpack}`),
      ...nginx ? ['heroku buildpacks:add heroku-community/nginx'] : [],
      `git add Procfile app.json ${changesManifest(facts) ? 'package.json ' : ''}${kit || '.'}` +
        " && git commit -m 'Deploy kit'",
      'git push heroku main',
      // The formation of app.json applies to review apps and the button only.
      ...facts.instances || facts.plan
        ? [`heroku ps:scale web=${facts.instances ?? 1}${facts.plan ? `:${facts.plan.toLowerCase()}` : ''}`]
        : []
    ],
    whyNoBuilds: 'a dyno of Heroku has only the files of its own build, and no volume',
    rollout: () => [
      '# Once, with Standard or Performance dynos: the new ones start before the old ones stop',
      'heroku features:enable preboot',
      'git push heroku main'
    ]
  },
  render: {
    ...PLATFORM,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'render.yaml'],
    provider: 'Render',
    keepAliveSeconds: 125,
    routerIdleSeconds: 120, // Render docs, Troubleshooting deploys.
    isIdleKnown: true,
    port: 10000,
    // Not X-Forwarded-For, in which the last address is that of Cloudflare, in front of Render's router.
    clientHeader: 'CF-Connecting-IP',
    next: ({ kit, secrets }) => [
      ...kit ? [`cp ${kit}render.yaml .`] : [],
      'commit it, and create a Blueprint from the repository',
      ...secrets.map(({ id, file }) =>
        `add the ${file === null ? 'value' : `text of ${file}`} to the service as a secret file with the name ${id}`)
    ],
    whyNoBuilds: 'with a disk Render stops an instance before it starts the next one',
    // Render, How Render handles zero-downtime deploys.
    rollout: () => ['push a commit: Render ends the old instance 60 s after the new one has taken over']
  },
  fly: {
    ...PLATFORM,
    templates: ['Dockerfile', 'Dockerfile.dockerignore', 'fly.toml'],
    provider: 'Fly.io',
    keepAliveSeconds: 125,
    routerIdleSeconds: 120, // Assumed: as Render's.
    // A machine of Fly.io shows the cores that it has.
    hasOwnCores: true,
    clientHeader: 'Fly-Client-IP',
    next: ({ name, instances, isCreated, ...facts }) => [
      ...isCreated ? [] : [`fly apps create ${name}`],
      toFlyDeploy(facts),
      ...instances ? [`fly scale count ${instances} --app ${name}`] : []
    ],
    // Fly.io docs, App configuration: "The bluegreen strategy doesn't work if Machines have volumes attached."
    whyNoBuilds: 'with a volume Fly.io stops a machine before it starts the next one',
    rollout: facts => [toFlyDeploy(facts)]
  },
  systemd: {
    ...OWN_SERVER,
    templates: ['unit.service'],
    run: '/run/NAME',
    port: 80,
    hasOwnCores: true,
    drainSeconds: 10, // Short, because requests that arrive during a restart wait for its end.
    // Not /dev/stdout, which is a socket under systemd that nginx cannot open by its path.
    accessLog: 'syslog:server=unix:/dev/log,nohostname',
    next: ({ kit, name, nginx, build, units, ...facts }) => [
      [toCopy({ name, build }), 'on the server',
        ...facts.node ? ["with its packages, Node on root's PATH"] : ['with the programs that it needs'],
        ...nginx ? ['and nginx'] : [], ...facts.brotli ? [`with ${BROTLI_MODULES}`] : []].join(' '),
      ['sudo cp', ...units.map(unit => `/srv/${name}/${kit}${unit}`), '/etc/systemd/system/'].join(' '),
      ...facts.compresses ? [`sudo sh /srv/${name}/${kit}compress.sh`] : [],
      // Debian starts nginx on the port of the kit.
      ...nginx ? ['sudo systemctl disable --now nginx'] : [],
      `sudo systemctl enable --now ${units.filter(unit => unit.endsWith('.service'))
        .map(unit => unit.slice(0, -'.service'.length)).join(' ')}`
    ],
    rollout: ({ kit, name, nginx, build, compresses }) => [
      toCopy({ name, build }),
      ...compresses ? [`sudo sh /srv/${name}/${kit}compress.sh`] : [],
      nginx
        ? '# Connections wait in the socket unit until the app and nginx have started again'
        : '# Requests fail until the app has started again. With nginx in front their connections would wait',
      `sudo systemctl restart ${name}`
    ]
  }
}

/**
 * @typedef {object} Front
 * @property {string | null} router name of the platform whose router terminates TLS; null: there is none
 * @property {boolean} hasNginx
 * @property {boolean} tls whether nginx terminates TLS
 * @property {boolean} trusts whether nginx takes address and scheme from routers in front
 */

/** Option of `hopbench config` for a load balancer in front of nginx. */
const TRUST_OPTION = 'write the kit with --trust and its network, as in --trust 10.0.0.0/8'

/**
 * Returns two sentences: about TLS, and about the program that the app must trust. Without a router and a certificate
 * the second one is a question, because nginx overwrites the scheme that a load balancer states.
 *
 * @param {Front} front
 */
export function describeTlsEnd ({ router, hasNginx, tls, trusts }) {
  const end = tls
    ? 'nginx of the kit terminates TLS.'
    : router === null ? 'The kit serves plain HTTP.' : `The router of ${router} terminates TLS.`
  if (!hasNginx) {
    return `${end} ${router === null
      ? 'If a load balancer in front terminates TLS, the app must trust its X-Forwarded-Proto, and no client may ' +
        'reach the app past it.'
      : 'The app must trust its X-Forwarded-Proto, and no other.'}`
  }
  const trusted = 'the app must trust nginx, which sends one X-Forwarded-Proto and one X-Forwarded-For'
  if (tls) return `${end} Behind it ${trusted}.`
  if (trusts) return `${end} nginx takes the scheme from trusted routers only, and ${trusted}.`
  const question = router === null ? 'Does a load balancer in front terminate TLS? nginx' : 'nginx'
  return `${end} ${question} overwrites X-Forwarded-Proto with http: ${TRUST_OPTION}, and https reaches the app. ` +
    `Either way ${trusted}.`
}
