/**
 * Headers in which a client could name another address, scheme, host, path or method. Apps and frameworks trust some of
 * them, so a recommended configuration removes them before it sets X-Forwarded-For, -Proto and -Host and X-Real-IP.
 */
export const FORGEABLE_HEADERS = ['Forwarded', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Server',
  'X-Forwarded-Scheme', 'X-Forwarded-Ssl', 'X-Forwarded-Path', 'X-Forwarded-Uri', 'Front-End-Https', 'X-Url-Scheme',
  'X-Host', 'X-Original-Host', 'X-Original-URL', 'X-Rewrite-URL', 'X-HTTP-Method', 'X-HTTP-Method-Override',
  'X-Method-Override', 'X-Client-IP', 'X-Cluster-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'Fly-Client-IP',
  'X-Middleware-Subrequest']
