vcl 4.1;

# {{title}}
{{#each notes}}
# {{this}}
{{/each}}

{{#if measure}}
{{> counters}}

{{/if}}
# {{transportWords}}
backend app {
{{#if path}}
    .path = {"{{path}}"};
{{else}}
    .host = "{{host}}";
    .port = "{{port}}";
{{/if}}
    .connect_timeout = {{patience}};
    .first_byte_timeout = {{patience}};
    .between_bytes_timeout = {{patience}};
}

{{#unless measure}}
# For TLS remove the # of each line in this file and in the drop-in below on which no space follows it, and put hitch in
# front (hitch.conf).
{{/unless}}
sub vcl_recv {
{{#unless measure}}
{{#if hosts}}
    # Hosts other than those of the site.
    if (req.http.Host !~ "(?i)^({{hostPattern}})(:[0-9]+)?$") {
        return (synth(421));
    }
{{else}}
    # Hosts with other signs than those of a name or an address.
    if (req.http.Host !~ "(?i)^$|^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$") {
        return (synth(400));
    }
{{/if}}
    # {{hostWords}}
    # Lower case, as in the key of the cache.
    set req.http.Host = req.http.Host.lower();
{{/unless}}
    set req.http.X-Forwarded-Proto = "http";
{{#unless measure}}
    if (local.socket == "https") {
        set req.http.X-Forwarded-Proto = "https";
    }
    # Sends clients that come by HTTP to HTTPS.
    #if (local.socket != "https") {
        #return (synth(308));
    #}
    # Single values that clients cannot forge, so the app may trust them (Express: app.set('trust proxy', 1)).
    set req.http.X-Forwarded-For = client.ip;
    set req.http.X-Real-IP = client.ip;
    set req.http.X-Forwarded-Host = req.http.Host;
    # What a client says about its own address, scheme, host and path is removed.
{{#each forgeable}}
    unset req.http.{{this}};
{{/each}}
    call remove_aliases;
{{/unless}}
{{#if websocket}}
    # For the suite: pipes, which passes on all later bytes of the connection unread.
    if (req.http.Upgrade ~ "(?i)^websocket$") {
        return (pipe);
    }
{{/if}}
{{#if cache}}
    # Varnish would pipe unknown methods: the app would get all later bytes of the connection unread.
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
{{#unless measure}}
    # Responses to requests with credentials or a body can be private.
    if ({{#each credentials}}req.http.{{this}} ||
        {{/each}}req.http.Content-Length || req.http.Transfer-Encoding) {
        return (pass);
    }
{{/unless}}
    # Varnish's default rules: caches GET and HEAD without Cookie and Authorization, and no response with Set-Cookie or
    # "Cache-Control: private" or "no-store".
    # {{lockWords}}
    set req.hash_ignore_busy = {{#if lock}}false{{else}}true{{/if}};
{{else}}
    # Caches nothing.
    return (pass);
{{/if}}
}

{{#unless measure}}
{{#if cache}}
sub vcl_hash {
    # A redirect from HTTP to HTTPS is no response over HTTPS.
    hash_data(req.http.X-Forwarded-Proto);
}

{{/if}}
#sub vcl_synth {
    #if (resp.status == 308) {
        #set resp.http.Location = "https://" + req.http.Host + req.url;
        #return (deliver);
    #}
#}

{{/unless}}
{{#if websocket}}
# For the suite: the headers of an upgrade.
sub vcl_pipe {
    if (req.http.Upgrade) {
        set bereq.http.Upgrade = req.http.Upgrade;
        set bereq.http.Connection = req.http.Connection;
    }
}

{{/if}}
{{#unless measure}}
# Removes names that apps could take for others: X_Real_IP, X.Real.IP. Varnish cannot remove headers by a pattern, so
# these are the spellings of the headers above and of CGI's variables.
sub remove_aliases {
{{#each aliases}}
    unset req.http."{{this}}";
{{/each}}
}

{{/unless}}
sub vcl_backend_fetch {
{{#if pooled}}
    # Connections stay open for backend_idle_timeout, below Node's keepAliveTimeout (5 s by default, so raise it in the
    # app): if Node closes a connection first, a request on it can fail with 503.
{{else}}
    # Makes the app close the connection.
    set bereq.http.Connection = "close";
{{/if}}
}

sub vcl_backend_response {
{{#if cache}}
    if (beresp.http.Cache-Control !~ "(?i)\b(s-maxage|max-age)=" && !beresp.http.Expires) {
        # Lifetime of responses with "Cache-Control: public" and without a lifetime. A response with neither is
        # not stored.
        if (beresp.http.Cache-Control ~ "(?i)\bpublic\b" && (beresp.status == 200 || beresp.status == 302)) {
            set beresp.ttl = {{cache}};
        } else {
            set beresp.ttl = 0s;
        }
    }
    # {{staleWords}}
    set beresp.grace = {{grace}};
{{#if stale}}
    if (beresp.http.Cache-Control ~ "(?i)(must|proxy)-revalidate|no-cache|s-maxage") {
        # Forbids sending an expired response (RFC 9111, 4.2.4).
        set beresp.grace = 0s;
    }
{{/if}}
    # Time for which an expired response with a validator can be renewed by a 304.
    set beresp.keep = 10m;
{{/if}}
{{#if gzip}}
    # Compresses responses of the app. Varnish adds Vary.
    if (beresp.http.Content-Type ~ "^(text/|application/(javascript|json|manifest\+json|xml)|image/svg\+xml)") {
        set beresp.do_gzip = true;
    }
{{/if}}
}

sub vcl_deliver {
{{#unless measure}}
    # Names the framework of the app, and the version of Varnish.
    unset resp.http.X-Powered-By;
    unset resp.http.Via;
    # For two years after an HTTPS response, browsers use HTTPS only and accept no invalid certificate.
    #set resp.http.Strict-Transport-Security = "max-age=63072000";
{{/unless}}
{{#if cache}}
    if (obj.hits > 0) {
        set resp.http.X-Cache-Status = "HIT";
    } else {
        set resp.http.X-Cache-Status = "MISS";
    }
{{/if}}
{{#if measure}}
    # For the suite: counts the request, and logs errors and cache misses.
    C{
        __sync_fetch_and_add(requests, 1);
    }C
    if ((resp.status < 200 || resp.status > 299) && resp.status != 304{{#if cache}} || obj.hits == 0{{/if}}) {
        C{
            fprintf(noted, "%.3f %ld {{#if cache}}%s{{else}}-{{/if}}\n", VRT_r_now(ctx), (long)VRT_r_resp_status(ctx)
                {{#if cache}}, VRT_r_obj_hits(ctx) > 0 ? "HIT" : "MISS"{{/if}});
            fflush(noted);
        }C
    }
{{/if}}
}
