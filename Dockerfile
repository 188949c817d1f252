# hopbench with nginx, Apache and the load generators, for an ordinary user:
#
#   npm pack && docker build --tag hopbench .
#   docker run --rm -v "$PWD":/work hopbench run ./my-app.js nginx:uds-keepalive/./my-app.js --quick
#
# Private networks need more than a container is given: see docs/docker.md.

# A line of Node with long-term support; Debian's own has had its last release.
FROM node:24-trixie-slim

# Security updates come with the base: a version named here would keep them out.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends apache2-bin apache2-utils ca-certificates git \
      iproute2 nghttp2-client nginx openssl procps python3-venv util-linux wrk \
    && rm -rf /var/lib/apt/lists/*

COPY hopbench-*.tgz /opt/hopbench.tgz
RUN npm install --global --no-audit --no-fund /opt/hopbench.tgz \
    && rm /opt/hopbench.tgz \
    && install --directory --owner=1000 /work

# The account node of the base image.
USER 1000
WORKDIR /work
ENTRYPOINT ["hopbench"]
CMD ["--help"]
