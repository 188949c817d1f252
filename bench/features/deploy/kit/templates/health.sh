#!/bin/sh
# Exits with 0 if the app in this container can serve {{#if socket}}on its socket{{else}}port {{healthPort}}{{/if}}. Needs no program besides sh, and sends a
# request only if curl or wget is there.
{{#if socket}}
[ -S "$SOCKET" ] || { echo 'The app has no socket at $SOCKET.'; exit 1; }
if command -v curl > /dev/null; then
  exec curl -fsS -m 4 -o /dev/null --unix-socket "$SOCKET" http://localhost{{healthPath}}
fi
exit 0
{{else}}
found=
for table in /proc/net/tcp /proc/net/tcp6; do
  [ -r "$table" ] || continue
  while read -r _ local _ state _; do
    case $local:$state in
      00000000:{{healthHex}}:0A | 00000000000000000000000000000000:{{healthHex}}:0A) found=1 ;;
    esac
  done < "$table"
done
if [ -z "$found" ]; then
  echo 'The app does not listen on port {{healthPort}} of all addresses, which are in $PORT and $HOST.'
  exit 1
fi
if command -v curl > /dev/null; then exec curl -fsS -m 4 -o /dev/null http://127.0.0.1:{{healthPort}}{{healthPath}}; fi
if command -v wget > /dev/null; then exec wget -q -T 4 -O /dev/null http://127.0.0.1:{{healthPort}}{{healthPath}}; fi
{{/if}}
