#!/bin/sh
# Keeps the files of this build and of the {{keepBuilds}} before that have a hash of their content in their names, by the
# paths of their URLs, because pages of these builds request them. nginx sends those that this build lacks.
# Argument: their folder. Needs GNU's cp, find, grep and xargs.
set -eu
export LC_ALL=C

attic=$1
cd "$(dirname "$0")/{{up}}"
mkdir -p "$attic/builds" "$attic/files"
# Left behind by a start that was killed.
find "$attic" -maxdepth 1 -name 'new.*' -mmin +60 -exec rm -rf {} +
new=$(mktemp -d "$attic/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir "$new/files"

# Lists the files of a folder by the paths of their URLs, without hidden ones, links and names with a line break.
list () { (cd "$1" && find . -mindepth 1 -name '.*' -prune -o -type f ! -path '*
*' -print) | sed "s|^\.|$2|"; }
{
{{#each keptFolders}}
  list {{folder}} '{{prefix}}'
{{/each}}
} | grep -vE {{pageEre}} > "$new/all" || :
{
{{#each hashEres}}
  {{#each this}}{{#unless @first}} | {{/unless}}grep -E {{this}}{{#if @first}} "$new/all"{{/if}}{{/each}} || :
{{/each}}
} | sort -u > "$new/hashed"
# With their compressed forms.
{ cat "$new/hashed"; sed 's|$|.gz|' "$new/hashed"; sed 's|$|.br|' "$new/hashed"; } | sort -u > "$new/names"
sort "$new/all" | comm -12 - "$new/names" > "$new/list"

while IFS= read -r path; do
  [ -e "$attic/files$path" ] || printf '%s\n' "$path"
done < "$new/list" > "$new/missing"
# Copies files of a folder that are missing.
copy () {
  mkdir -p "$new/files$2"
  sed -n "s|^$3/|./|p" "$new/missing" | (cd "$1" && xargs -r -d '\n' cp --parents -t "$new/files$2")
}
{{#each keptFolders}}
copy {{folder}} '{{prefix}}' '{{prefixPattern}}'
{{/each}}
# By links, so that a file appears as a whole.
cp -rlf "$new/files/." "$attic/files"

# Each build has a list, whose date is that of its last start.
id=$(cksum < "$new/list" | tr ' ' -)
cp "$new/list" "$attic/builds/$id"
ls -t "$attic/builds" | tail -n +{{oldestLine}} | while read -r old; do rm -f "$attic/builds/$old"; done
sort -u "$attic"/builds/* > "$new/kept"
(cd "$attic/files" && find . -type f) | sed 's|^\.||' | sort | comm -23 - "$new/kept" | sed 's|^|.|' |
  (cd "$attic/files" && xargs -r -d '\n' rm -f)
find "$attic/files" -mindepth 1 -type d -empty -delete
