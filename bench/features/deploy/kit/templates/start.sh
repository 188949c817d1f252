#!/bin/sh
# {{title}}.
# {{story}}
# Environment: PORT (default {{port}}), RUN (default {{run}}){{#if httpPort}},
# HTTP_PORT (default {{httpPort}}; nginx redirects from there to HTTPS){{/if}}{{#if nginx}}, NGINX_PROGRAM (default nginx){{/if}}.
set -eu

cd "$(dirname "$0")/{{up}}"
[ -n "${PORT:-}" ] || PORT={{port}}
[ -n "${RUN:-}" ] || RUN={{run}}
{{#if httpPort}}
[ -n "${HTTP_PORT:-}" ] || HTTP_PORT={{httpPort}}
{{/if}}
case $PORT in
  '' | *[!0-9]*) echo "PORT is \"$PORT\", and must be a number" >&2; exit 64 ;;
{{#if appPort}}
  {{appPort}}) echo "PORT is $PORT, and the app listens there behind nginx" >&2; exit 64 ;;
{{/if}}
esac
mkdir -p "$RUN"
{{#if isSplit}}
# Part to start, app or nginx, as in the units of systemd. Without an argument both are started.
part=${1:-both}
[ -n "${APP_RUN:-}" ] || APP_RUN=$RUN
{{/if}}
{{#if hasSocketUnit}}
# nginx listens on the sockets that systemd has opened, if any. Its variable holds their numbers: "3;4;".
fds=3
while [ "$fds" -lt $((3 + ${LISTEN_FDS:-0})) ]; do
  NGINX="${NGINX:-}$fds;"
  fds=$((fds + 1))
done
[ -z "${NGINX:-}" ] || export NGINX
unset LISTEN_FDS LISTEN_PID LISTEN_FDNAMES
{{/if}}
{{#if hasApp}}

{{#each sized}}
# {{this}}
{{/each}}
[ "${DRAIN_SECONDS:-}" ] || DRAIN_SECONDS={{appDrainSeconds}}
{{/if}}
{{#if module}}
export APP='{{module}}' PROCESSES={{processes}} NODE_ENV="${NODE_ENV:-production}"
[ "${KEEP_ALIVE_SECONDS:-}" ] || KEEP_ALIVE_SECONDS={{keepAliveSeconds}}
export DRAIN_SECONDS KEEP_ALIVE_SECONDS
set -- node{{#if heapMiB}} --max-old-space-size={{heapMiB}}{{/if}} '{{kit}}serve.mjs'
{{#unless nginx}}
exec env PORT="$PORT" "$@"
{{/unless}}
{{/if}}
{{#if command}}
export NODE_ENV="${NODE_ENV:-production}"
{{#if heapOption}}
[ -n "${NODE_OPTIONS:-}" ] || export NODE_OPTIONS={{heapOption}}
{{/if}}
{{#if concurrency}}
# Number of processes for programs that start several: gunicorn, Puma and others read it.
[ -n "${WEB_CONCURRENCY:-}" ] || export WEB_CONCURRENCY={{concurrency}}
{{/if}}
# Package managers write to their home folder.
[ -w "${HOME:-/}" ] || export HOME="$RUN"
# A process group of its own, which can be ended as a whole.
set -- setsid sh -c {{command}}
{{/if}}
{{#if isSplit}}

if [ "$part" = app ]; then
{{#if command}}
  # systemd ends all processes of a unit: without setsid.
  shift
{{/if}}
{{#if socket}}
  rm -f "$RUN/ready" "$RUN/app.sock"
  exec env {{#if module}}READY="$RUN/ready"{{else}}-u PORT{{/if}} SOCKET="$RUN/app.sock" "$@"
{{else}}
  exec env {{#if module}}READY="$RUN/ready" {{/if}}HOST=127.0.0.1 HOSTNAME=127.0.0.1 PORT={{appPort}} "$@"
{{/if}}
fi
{{/if}}
{{#if supervised}}

app= proxy=
alive () { kill -0 "$1" 2>/dev/null; }
{{#if command}}
# Waits while a process or a group exists, for so many tenths of a second at most.
while_alive () {
  while alive "$1" && [ "$tenths" -gt 0 ]; do
    sleep 0.1 & wait $! || :
    tenths=$((tenths - 1))
  done
}
# Sends SIGTERM to the process of the command alone, because package managers forward it. Then ends the group.
end_app () {
  tenths=$((DRAIN_SECONDS * 10))
  kill -TERM "$app" 2>/dev/null || :
  while_alive "$app"
  kill -TERM "-$app" 2>/dev/null || return 0
  [ "$tenths" -gt 10 ] || tenths=10
  while_alive "-$app"
  kill -KILL "-$app" 2>/dev/null || :
}
{{/if}}
{{#if module}}
end_app () { kill -TERM "$app" 2>/dev/null || :; wait "$app" || :; }
{{/if}}

# Ends {{#if nginx}}nginx first, which finishes its open requests{{#if hasApp}}, so that the app gets no request after its own end{{/if}}{{else}}the app{{/if}}.
finish () {
  trap '' TERM INT QUIT HUP
{{#if nginx}}
  if [ -n "$proxy" ]; then
    kill -QUIT "$proxy" 2>/dev/null || :
{{#if module}}
    # Closes WebSockets, for which nginx would wait.
    [ -z "$app" ] || kill -USR2 "$app" 2>/dev/null || :
{{/if}}
    wait "$proxy" || :
  fi
{{/if}}
{{#if hasApp}}
  if [ -n "$app" ]; then end_app; fi
{{/if}}
  exit "$1"
}
# Ends with the exit code of the process that ended first.
finish_with_code_of () {
  code=0
  wait "$1" || code=$?
  echo "$2 ended with exit code $code" >&2
{{#if hasSocketUnit}}
  # A connection that waits makes systemd start this script again without a delay.
  [ -z "${NGINX:-}" ] || sleep 1
{{/if}}
  finish "$code"
}
trap 'finish 0' TERM INT QUIT
{{#if nginx}}
# On SIGHUP nginx reads its certificate again, without a failed request. In a terminal it means that the terminal closed.
if [ -t 0 ]; then trap 'finish 0' HUP; else trap '[ -z "$proxy" ] || kill -HUP "$proxy"' HUP; fi
{{/if}}
{{#if portHex}}

# Whether a process listens on port {{appPort}} of the loopback or of all addresses: state 0A in the kernel's tables.
listens () {
  [ -r /proc/net/tcp ] || return 0
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ local _ state _; do
      case $local:$state in
        00000000:{{portHex}}:0A | 0100007F:{{portHex}}:0A) return 0 ;;
        00000000000000000000000000000000:{{portHex}}:0A | 0000000000000000FFFF00000100007F:{{portHex}}:0A) return 0 ;;
      esac
    done < "$table"
  done
  return 1
}
if {{#if isSplit}}[ "$part" = both ] && {{/if}}[ -r /proc/net/tcp ] && listens; then
  echo 'Port {{appPort}}, which the app listens on, belongs to another process.' >&2
  exit 69
fi
{{/if}}
{{#if hasApp}}

{{#if nginx}}
{{#if isSplit}}
if [ "$part" = nginx ]; then
  # Waits for the app, because before that nginx would send 502. systemd ends this script with the app.
{{#if module}}
  until {{#if socket}}[ -S "$APP_RUN/app.sock" ] && {{/if}}[ -e "$APP_RUN/ready" ]; do sleep 0.1; done
{{else}}
  tries={{readyTenths}}
  until {{#if socket}}[ -S "$APP_RUN/app.sock" ]{{else}}listens{{/if}}; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo 'The app did not listen within {{readySeconds}} s.' >&2; exit 69; }
    sleep 0.1
  done
{{/if}}
else
{{/if}}
{{#if module}}
rm -f "$RUN/ready"{{#if socket}} "$RUN/app.sock"{{/if}}
env READY="$RUN/ready" {{#if socket}}SOCKET="$RUN/app.sock"{{else}}HOST=127.0.0.1 HOSTNAME=127.0.0.1 PORT=3000{{/if}} "$@" &
app=$!
# Waits for the app, because before that nginx would send 502.
until {{#if socket}}[ -S "$RUN/app.sock" ] && {{/if}}[ -e "$RUN/ready" ]; do
  alive "$app" || finish_with_code_of "$app" 'the app'
  sleep 0.1 & wait $! || :
done
{{else}}
{{#if socket}}
rm -f "$RUN/app.sock"
env -u PORT SOCKET="$RUN/app.sock" "$@" &
{{else}}
env HOST=127.0.0.1 HOSTNAME=127.0.0.1 PORT={{appPort}} "$@" &
{{/if}}
app=$!
# Waits for the app, because before that nginx would send 502.
tries={{readyTenths}}
until {{#if socket}}[ -S "$RUN/app.sock" ]{{else}}listens{{/if}}; do
  alive "$app" || finish_with_code_of "$app" 'the app'
  tries=$((tries - 1))
  if [ "$tries" -le 0 ]; then
    echo 'The app opened no {{#if socket}}socket at $SOCKET{{else}}port {{appPort}}{{/if}} within {{readySeconds}} s.' >&2
    finish 69
  fi
  sleep 0.1 & wait $! || :
done
{{/if}}
{{#if isSplit}}
fi
{{/if}}
{{else}}
# HOSTNAME is the name of the container, at whose address alone some frameworks would listen.
env HOST="${HOST:-0.0.0.0}" HOSTNAME="${HOST:-0.0.0.0}" PORT="$PORT" "$@" &
app=$!
{{/if}}
{{/if}}
{{#if followsName}}

# Waits for the container of the app, because nginx does not start with a name that has no address.
addresses () { getent ahostsv4 app | sort -u; }
found=$(addresses)
until [ -n "$found" ]; do
  sleep 1 & wait $! || :
  found=$(addresses)
done
{{/if}}
{{#if keepBuilds}}

attic=${STATE_DIRECTORY:-$RUN}/builds
sh '{{kit}}keep-builds.sh' "$attic" || echo 'The files of this build are not kept for later ones.' >&2
{{/if}}
{{#if nginx}}

sed -e "s|@PORT@|$PORT|g"{{#if httpPort}} -e "s|@HTTP_PORT@|$HTTP_PORT|g"{{/if}} {{#if isSplit}}-e "s|unix:@RUN@|unix:$APP_RUN|g" {{/if}}-e "s|@RUN@|$RUN|g" -e "s|@CACHE@|${CACHE_DIRECTORY:-$RUN}/cache|g" -e "s|@HERE@|$PWD|g" \
  -e "s|@TEMP@|${CACHE_DIRECTORY:-$RUN}|g" {{#if keepBuilds}}-e "s|@ATTIC@|$attic|g" {{/if}}\
  '{{kit}}nginx.conf' > "$RUN/nginx.conf"
{{#if logsToOutput}}
# nginx does not start with an output that cannot be opened by its path, such as a socket.
if ! ( : >> /dev/stdout ) 2>/dev/null; then
  echo 'The output is a socket: nginx writes no access log.' >&2
  sed -i 's|access_log /dev/stdout .*;|access_log off;|' "$RUN/nginx.conf"
fi
{{/if}}
# nginx does not start with an IPv6 address if the kernel has no IPv6.
[ -e /proc/net/if_inet6 ] || sed -i '/listen \[::\]/d' "$RUN/nginx.conf"
{{#if isSplit}}
[ "$part" = both ] || exec "${NGINX_PROGRAM:-nginx}" -p "$RUN/" -c "$RUN/nginx.conf" -e stderr -g 'daemon off;'
{{/if}}
"${NGINX_PROGRAM:-nginx}" -p "$RUN/" -c "$RUN/nginx.conf" -e stderr -g 'daemon off;' &
proxy=$!
{{/if}}

# sh cannot wait for the first of two processes to end.
while {{#if hasApp}}alive "$app"{{/if}}{{#if both}} && {{/if}}{{#if nginx}}alive "$proxy"{{/if}}; do
  sleep 1 & wait $! || :
{{#if followsName}}
  # nginx looks a name up only when it starts or reads its configuration. A new container has another address.
  now=$(addresses)
  if [ -n "$now" ] && [ "$now" != "$found" ]; then found=$now; kill -HUP "$proxy"; fi
{{/if}}
done
{{#if nginx}}
alive "$proxy" || finish_with_code_of "$proxy" nginx
{{/if}}
{{#if hasApp}}
finish_with_code_of "$app" 'the app'
{{/if}}
{{/if}}
