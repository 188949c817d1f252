#!/bin/sh
# Writes file.gz beside each text file of 1 KiB or more, which nginx sends in its place to clients that accept gzip.
# Run it again whenever a file has changed, because nginx does not compare their ages.
set -eu

cd "$(dirname "$0")/{{up}}"
find {{#each compressed}}'./{{this}}' {{/each}}-mindepth 1 -name '.*' -prune -o -type f -size +1023c \
  \( {{textNames}} \) -exec gzip -9 -k -f -n {} +
