"""A Flask app for gunicorn: gunicorn --bind 127.0.0.1:$PORT app:app"""
from flask import Flask, jsonify

app = Flask(__name__)


@app.get('/')
def things():
    return jsonify([{'id': i, 'name': f'Thing {i}'} for i in range(50)])
