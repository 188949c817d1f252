#!/bin/sh
# {{title}}.
# {{story}}
# Environment: PORT (default {{port}}), RUN (default {{run}}){{#if nginx}}, NGINX_PROGRAM (default nginx){{/if}}.
set -eu

cd "$(dirname "$0")/{{up}}"
[ -n "${PORT:-}" ] || PORT={{port}}
[ -n "${RUN:-}" ] || RUN={{run}}
case $PORT in
  '' | *[!0-9]*) echo "PORT is \"$PORT\", and must be a number" >&2; exit 64 ;;
esac
mkdir -p "$RUN"
{{#if node}}

{{#each sized}}
# {{this}}
{{/each}}
export APP='{{app}}' PROCESSES={{processes}} NODE_ENV="${NODE_ENV:-production}"
[ "${DRAIN_SECONDS:-}" ] || DRAIN_SECONDS={{appDrainSeconds}}
[ "${KEEP_ALIVE_SECONDS:-}" ] || KEEP_ALIVE_SECONDS={{keepAliveSeconds}}
export DRAIN_SECONDS KEEP_ALIVE_SECONDS
set -- node{{#if heapMiB}} --max-old-space-size={{heapMiB}}{{/if}} '{{kit}}serve.mjs'
{{#unless nginx}}
exec env PORT="$PORT" "$@"
{{/unless}}
{{/if}}
{{#if nginx}}

app= proxy=
alive () { kill -0 "$1" 2>/dev/null; }

# Ends nginx first, which finishes its open requests, so that the app gets no request after its own end.
finish () {
  trap '' TERM INT QUIT HUP
  if [ -n "$proxy" ]; then kill -QUIT "$proxy" 2>/dev/null || :; wait "$proxy" || :; fi
  if [ -n "$app" ]; then kill -TERM "$app" 2>/dev/null || :; wait "$app" || :; fi
  exit "$1"
}
# Ends the other process with the exit code of the one that ended first.
finish_with_code_of () {
  code=0
  wait "$1" || code=$?
  echo "$2 ended with exit code $code: ending the other, too" >&2
  finish "$code"
}
trap 'finish 0' TERM INT QUIT
# On SIGHUP nginx reads its certificate again, without a failed request. In a terminal it means that the terminal closed.
if [ -t 0 ]; then trap 'finish 0' HUP; else trap '[ -z "$proxy" ] || kill -HUP "$proxy"' HUP; fi

{{#if node}}
rm -f "$RUN/ready"{{#if socket}} "$RUN/app.sock"{{/if}}
env READY="$RUN/ready" {{#if socket}}SOCKET="$RUN/app.sock"{{else}}HOST=127.0.0.1 PORT=3000{{/if}} "$@" &
app=$!
# Waits for the app, because before that nginx would send 502.
until {{#if socket}}[ -S "$RUN/app.sock" ] && {{/if}}[ -e "$RUN/ready" ]; do
  alive "$app" || finish_with_code_of "$app" 'the app'
  sleep 0.1 & wait $! || :
done

{{/if}}
sed -e "s|@PORT@|$PORT|g" -e "s|@RUN@|$RUN|g" -e "s|@CACHE@|${CACHE_DIRECTORY:-$RUN}/cache|g" -e "s|@HERE@|$PWD|g" \
  -e "s|@TEMP@|${CACHE_DIRECTORY:-$RUN}|g" \
  '{{kit}}nginx.conf' > "$RUN/nginx.conf"
# nginx does not start with an output that cannot be opened by its path, such as a socket.
if ! ( : >> /dev/stdout ) 2>/dev/null; then
  echo 'The output is a socket: nginx writes no access log.' >&2
  sed -i 's|access_log /dev/stdout .*;|access_log off;|' "$RUN/nginx.conf"
fi
# nginx does not start with an IPv6 address if the kernel has no IPv6.
[ -e /proc/net/if_inet6 ] || sed -i '/listen \[::\]/d' "$RUN/nginx.conf"
"${NGINX_PROGRAM:-nginx}" -p "$RUN/" -c "$RUN/nginx.conf" -e stderr -g 'daemon off;' &
proxy=$!

# sh cannot wait for the first of two processes to end.
while {{#if node}}alive "$app" && {{/if}}alive "$proxy"; do
  sleep 1 & wait $! || :
done
{{#if node}}
alive "$proxy" || finish_with_code_of "$proxy" nginx
finish_with_code_of "$app" 'the app'
{{else}}
finish_with_code_of "$proxy" nginx
{{/if}}
{{/if}}
