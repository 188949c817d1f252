{{#each comments}}
# {{this}}
{{/each}}
# nginx alone: the image of the app is built from {{dockerfile}}.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends nginx-light{{#if brotli}} \
    libnginx-mod-http-brotli-filter libnginx-mod-http-brotli-static{{/if}} && rm -rf /var/lib/apt/lists/*
WORKDIR /kit
COPY {{kit}}start.sh {{kit}}nginx.conf {{#if compressed.length}}{{kit}}compress.sh {{/if}}{{#if keepBuilds}}{{kit}}keep-builds.sh {{/if}}./{{kit}}
{{#if folders.length}}
# Files that nginx serves, as they are in the project: build them before the image.
{{/if}}
{{#each folders}}
COPY {{this}} ./{{this}}
{{/each}}
{{#if compressed.length}}
RUN sh {{kit}}compress.sh
{{/if}}
RUN install -d -o www-data -g www-data {{run}} /var/cache/app{{#if keepBuilds}} /var/lib/app{{/if}}
USER www-data
ENV PORT={{port}}
{{#if keepBuilds}}
ENV STATE_DIRECTORY=/var/lib/app
{{/if}}
EXPOSE {{port}}{{#if httpPort}} {{httpPort}}{{/if}}
# Process 1 must forward signals, as this script does.
CMD ["sh", "{{kit}}start.sh"]
